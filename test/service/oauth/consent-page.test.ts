import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { TestBrowser } from '../pages/test-browser.helper.ts';
import { dataOf, type RunningService, startTestService } from '../running-service.helper.ts';
import { Client, redirectUri } from './client.helper.ts';

let service: RunningService;
let client: Client;
beforeAll(async () => {
  service = await startTestService({ transactions: 10 });
  client = new Client(service);
});
afterAll(() => service.close());

describe('the consent page', () => {
  const pageWith = async (parameters = {}) =>
    (await new TestBrowser(service).signIn(client.authorize(parameters), service.signIn)).text;

  test('the consent page shows the name of the application, escaped', async () => {
    const text = await pageWith();
    expect(text).toContain('Allow Ledger &amp; &lt;Sons&gt; to use your budgets?');
    expect(text).not.toContain('<Sons>');
  });

  test('the consent page shows whether full or read-only access is requested', async () => {
    expect(await pageWith()).toContain('change them');
    const readOnly = await pageWith({ scope: 'read-only' });
    expect(readOnly).toContain('to read your budgets?');
    expect(readOnly).toContain('for reading only');
    expect(readOnly).not.toContain('change them');
  });

  test('the consent page shows the duration: until it is revoked, or two hours', async () => {
    expect(await pageWith()).toContain('until you revoke it');
    expect(await pageWith({ response_type: 'token' })).toContain('after 2 hours');
  });

  test('the consent page offers a default budget only if the application has default budget selection', async () => {
    expect(await pageWith()).not.toContain('Default budget');
    const withSelection = new Client(service, { selectsDefaultBudget: true });
    const { text } = await new TestBrowser(service).signIn(withSelection.authorize(), service.signIn);
    for (const choice of ['Default budget', 'None', 'Household', 'Japan Trip'])
      expect(text).toContain(choice);
  });

  test.each([
    ['https://app.example/callback?from=service', 'https://app.example'],
    ['http://127.0.0.1:4567/callback', 'http://127.0.0.1:4567'],
    ['http://[::1]:4567/callback', 'http:'],
    ['com.example.app:/callback', 'com.example.app:'],
  ])(
    'the content security policy allows the form to redirect to the redirect URI only: %s',
    async (uri, source) => {
      const otherClient = new Client(service, {
        redirectUris: [
          redirectUri,
          'http://127.0.0.1/callback',
          'http://[::1]/callback',
          'com.example.app:/callback',
        ],
      });
      const { headers } = await new TestBrowser(service).signIn(
        otherClient.authorize({ redirect_uri: uri }),
        service.signIn,
      );
      expect(headers.get('Content-Security-Policy')).toContain(`form-action 'self' ${source};`);
    },
  );
});

describe('the default budget', () => {
  const choose = async (default_budget: string) => {
    const withSelection = new Client(service, { selectsDefaultBudget: true });
    return withSelection.allow({ response_type: 'token' }, service.signIn, { default_budget });
  };
  const serviceWithToken = ({ location }: { location: URL }) => ({
    ...service,
    accessToken: new URLSearchParams(location.hash.slice(1)).get('access_token') ?? '',
  });

  test('the chosen default budget is the one that the budget id default refers to', async () => {
    const [, trip] = service.user.ledgers;
    const application = serviceWithToken(await choose(trip?.id ?? ''));
    const { default_budget } = await dataOf(application, '/budgets', {
      budgets: z.unknown(),
      default_budget: z.looseObject({ id: z.string() }).nullable(),
    });
    expect(default_budget?.id).toBe(trip?.id);
    const response = await fetch(
      `${service.baseUrl}/budgets/default?access_token=${application.accessToken}`,
    );
    expect(await response.json()).toMatchObject({ data: { budget: { id: trip?.id } } });
  });

  test('the user can choose no default budget', async () => {
    const application = serviceWithToken(await choose('none'));
    const { default_budget } = await dataOf(application, '/budgets', {
      budgets: z.unknown(),
      default_budget: z.looseObject({ id: z.string() }).nullable(),
    });
    expect(default_budget).toBeNull();
  });

  test.each(['', 'all', '00000000-0000-4000-8000-000000000000'])(
    'the invalid default budget %j is refused and the page is shown again',
    async (choice) => {
      const response = await choose(choice);
      expect(response.status).toBe(422);
      expect(response.text).toContain('role="alert"');
    },
  );
});
