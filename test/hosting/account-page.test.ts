import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { type AccountView, accountPage } from '../../src/hosting/account-page.ts';

async function rendered(view: Partial<AccountView>): Promise<string> {
  const app = new Hono().get('/', (c) =>
    accountPage(c, {
      watchCountOf: () => 0,
      settings: {},
      budgets: [],
      defaults: { timeZone: 'UTC', confirm: 'deletes' },
      userId: 'user',
      appUrl: 'https://app.budget.example',
      clients: [],
      writes: [],
      problems: {},
      notice: undefined,
      csrfToken: 'token',
      titleOf: (tool) => tool,
      ...view,
    }),
  );
  return (await app.request('/')).text();
}

it.each([
  ['written', 'done'],
  ['confirmed_afterwards', 'done'],
  ['resource_not_found', 'not done'],
  ['not_written', 'not done'],
  ['outcome_unknown', 'not known whether it was done'],
  ['failed', 'not known whether it was done'],
  ['a word of a later version', 'not known whether it was done'],
])('a write with the outcome %s is shown as %s', async (outcome, text) => {
  const html = await rendered({ writes: [{ at: 0, client: 'Claude', grant: 'x', tool: 'undo', outcome }] });
  expect(html).toMatch(new RegExp(`<b>undo</b> by &quot;Claude&quot;:\\s+${text}<br>`));
});

it('counts the writes beyond the newest 50', async () => {
  const writes = Array.from({ length: 53 }, (_, at) => ({
    at,
    client: 'A',
    grant: 'x',
    tool: 'undo',
    outcome: 'written',
  }));
  const html = await rendered({ writes });
  expect(html.match(/<b>undo<\/b>/g)).toHaveLength(50);
  expect(html).toContain('and 3 earlier ones');
});

it('names the first five budgets and counts the others', async () => {
  const budgets = Array.from({ length: 7 }, (_, at) => ({ id: `id${at}`, name: `B${at}` }));
  expect(await rendered({ budgets })).toContain('&quot;B4&quot;, and 2 more.');
  expect(await rendered({ budgets: undefined })).not.toContain('where your budgets are');
});
