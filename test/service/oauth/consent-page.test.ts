import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Visitor } from '../pages/visitor.ts';
import { dataOf, type RunningService, startTestService } from '../running-service.ts';
import { Client, redirectUri } from './client.ts';

let service: RunningService;
let client: Client;
beforeAll(async () => {
  service = await startTestService({ transactions: 10 });
  client = new Client(service);
});
afterAll(() => service.close());

describe('the page', () => {
  const seenWith = async (parameters = {}) =>
    (await new Visitor(service).signIn(client.authorize(parameters), service.signIn)).text;

  test('names the application, as text whatever its name', async () => {
    const text = await seenWith();
    expect(text).toContain('Allow Ledger &amp; &lt;Sons&gt; to use your budgets?');
    expect(text).not.toContain('<Sons>');
  });

  test('says what is asked for: everything, or reading only', async () => {
    expect(await seenWith()).toContain('change them');
    const readOnly = await seenWith({ scope: 'read-only' });
    expect(readOnly).toContain('to read your budgets?');
    expect(readOnly).toContain('for reading only');
    expect(readOnly).not.toContain('change them');
  });

  test('says for how long: until it is revoked, or for two hours', async () => {
    expect(await seenWith()).toContain('until you revoke it');
    expect(await seenWith({ response_type: 'token' })).toContain('after 2 hours');
  });

  test('asks for a default budget only when the application has that enabled', async () => {
    expect(await seenWith()).not.toContain('Default budget');
    const choosy = new Client(service, { selectsDefaultBudget: true });
    const { text } = await new Visitor(service).signIn(choosy.authorize(), service.signIn);
    for (const choice of ['Default budget', 'None', 'Household', 'Japan Trip'])
      expect(text).toContain(choice);
  });

  test.each([
    ['https://app.example/callback?from=service', 'https://app.example'],
    ['http://127.0.0.1:4567/callback', 'http://127.0.0.1:4567'],
    ['http://[::1]:4567/callback', 'http:'],
    ['com.example.app:/callback', 'com.example.app:'],
  ])('lets its form end at the redirect URI and nowhere else: %s', async (uri, source) => {
    const other = new Client(service, {
      redirectUris: [
        redirectUri,
        'http://127.0.0.1/callback',
        'http://[::1]/callback',
        'com.example.app:/callback',
      ],
    });
    const { headers } = await new Visitor(service).signIn(
      other.authorize({ redirect_uri: uri }),
      service.signIn,
    );
    expect(headers.get('Content-Security-Policy')).toContain(`form-action 'self' ${source};`);
  });
});

describe('the default budget', () => {
  const choose = async (default_budget: string) => {
    const choosy = new Client(service, { selectsDefaultBudget: true });
    return choosy.allowed({ response_type: 'token' }, service.signIn, { default_budget });
  };
  const asToken = ({ location }: { location: URL }) => ({
    ...service,
    accessToken: new URLSearchParams(location.hash.slice(1)).get('access_token') ?? '',
  });

  test('is what the budget id default stands for', async () => {
    const [, trip] = service.user.ledgers;
    const application = asToken(await choose(trip?.id ?? ''));
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

  test('may be none', async () => {
    const application = asToken(await choose('none'));
    const { default_budget } = await dataOf(application, '/budgets', {
      budgets: z.unknown(),
      default_budget: z.looseObject({ id: z.string() }).nullable(),
    });
    expect(default_budget).toBeNull();
  });

  test.each(['', 'all', '00000000-0000-4000-8000-000000000000'])(
    'cannot be %j: the page asks again',
    async (choice) => {
      const seen = await choose(choice);
      expect(seen.status).toBe(422);
      expect(seen.text).toContain('role="alert"');
    },
  );
});
