import { Agent, fetch as fetchBy } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { noCaddy, startCaddy } from './caddy.helper.ts';
import { readDocument } from './documents.ts';
import { eras } from './hosts.helper.ts';
import { Household } from './household.helper.ts';
import { startHttpProgram } from './http-program.helper.ts';
import { someIds } from './ids.helper.ts';

const TOKEN = 'a-token-of-those-who-may-call-by-http';

const text = readDocument('docs/http.md');
const [, sites = ''] = /such as Caddy:\n\n```text\n(.*?)```/s.exec(text) ?? [];
const [, args = ''] = /^BUDGET_MCP_HTTP_TOKEN=\S+ budget-mcp serve --http (.*)$/m.exec(text) ?? [];
const [, name = ''] = /^(\S+) \{$/m.exec(sites) ?? [];

/** What docs/http.md shows, with the program on a free port. */
async function start() {
  const home = await Household.start();
  onTestFinished(() => home.close());
  const program = await startHttpProgram(args.split(' '), { ...home.env(), BUDGET_MCP_HTTP_TOKEN: TOKEN });
  onTestFinished(async () => {
    await program.stop();
  });
  const { port, ca } = await startCaddy(sites.replace(':3000', `:${program.port}`));
  const dispatcher = new Agent({
    connect: { ca, lookup: (_, __, found) => found(null, [{ address: '127.0.0.1', family: 4 }]) },
  });
  onTestFinished(() => dispatcher.close());
  const url = `https://${name}:${port}/mcp`;
  return { home, url, fetch: (input: string | URL, init = {}) => fetchBy(input, { ...init, dispatcher }) };
}

describe.skipIf(noCaddy).each(eras)('the proxy in docs/http.md, for a host that speaks %s', (_, connect) => {
  test('a host behind the proxy in docs/http.md can call, answer questions and get notifications over TLS', async () => {
    const { home, url, fetch } = await start();
    const host = await connect({ http: { url, token: TOKEN, fetch }, person: () => 'decline' });
    onTestFinished(() => host.close());
    expect((await host.call('list_accounts')).isError).toBe(false);
    const { transaction_id } = await someIds(home.service);
    expect((await host.call('delete_transaction', { transaction_id })).text).toContain('"decline"');
    const { id } = await home.category('Groceries');
    const categories = `budget://v1/budgets/${home.budgetId}/categories`;
    await host.subscribe(categories);
    await host.call('update_category', { category_id: id, note: 'Through the proxy' });
    expect(await host.nextUpdate()).toBe(categories);
  });

  test('a host behind the proxy in docs/http.md is refused without the token', async () => {
    const { url, fetch } = await start();
    await expect(connect({ http: { url, fetch } })).rejects.toThrow();
    expect((await fetch(url, { method: 'POST' })).status).toBe(401);
  });
});

test('docs/http.md names the proxy and the server alike', () => {
  expect(args).toBe(`--public-url https://${name}`);
});
