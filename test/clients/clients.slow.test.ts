import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { catalogue } from '../../src/features/catalogue.ts';
import { program } from '../hosts.helper.ts';
import { Household } from '../household.helper.ts';
import { type HttpProgram, startHttpProgram } from '../http-program.helper.ts';
import { noRegistry } from '../registry.helper.ts';
import { installClients, runClient } from './run-client.helper.ts';

/** Those with a converter for strict mode use it. */
const clients = ['inspector', 'mcporter', 'ai-sdk', 'langchain', 'openai-agents', 'mastra', 'genai'];

/** As by default. Other tests read structured content. */
const textOnly = { BUDGET_MCP_STRUCTURED: 'false' };

const transactionsSchema = z.array(
  z.looseObject({
    id: z.string(),
    payee_id: z.string().nullable(),
    category_id: z.string().nullable(),
    transfer_account_id: z.string().nullable(),
    flag_color: z.string().nullable(),
    subtransactions: z.array(z.unknown()),
  }),
);

describe.skipIf(noRegistry)('real clients', () => {
  let node: string;
  let home: Household;
  let demo: HttpProgram;
  let http: HttpProgram;
  beforeAll(async () => {
    node = await installClients();
    home = await Household.start();
    demo = await startHttpProgram(undefined, textOnly);
    http = await startHttpProgram([], { ...home.env(), ...textOnly });
  }, 600_000);
  afterAll(async () => {
    await Promise.all([demo.stop(), http.stop()]);
    await home.close();
  });

  const ways = [
    ['on stdio', () => ({ command: process.execPath, args: [program, 'serve', '--demo'] })],
    ['by HTTP', () => ({ url: demo.url })],
  ] as const;

  describe.each(ways)('%s', (way, server) => {
    test.each(clients)(
      `%s lists the tools, reads, writes and shows an error to its model, ${way}`,
      async (client) => {
        const { tools, results } = await runClient(node, client, {
          server: server(),
          calls: [
            { name: 'list_accounts', args: {} },
            {
              name: 'create_transactions',
              args: {
                transactions: [
                  { account_id: 'Checking', date: 'yesterday', amount: -4.5, payee_name: 'Corner Bakery' },
                ],
              },
            },
            { name: 'get_account', args: { account_id: 'No such account' } },
          ],
        });
        const offered = catalogue.filter(({ needsStatements }) => !needsStatements);
        expect(tools.map(({ name }) => name)).toEqual(offered.map(({ name }) => name));
        const [accounts, written, error] = results.map(({ text }) => text);
        expect(accounts).toMatch(/^Budget "Household" \(EUR\).*\n"Checking"/);
        expect(written).toMatch(/^Written\.\n.*-4\.50 · "Corner Bakery"/m);
        expect(error).toContain('there is no account "No such account"');
      },
    );
  });

  /** A transaction with a payee, a category and a flag, which null would have removed. */
  async function transactionWithAll() {
    const found = transactionsSchema
      .parse((await home.get('transactions'))?.['transactions'])
      .find(
        ({ payee_id, category_id, transfer_account_id, flag_color, subtransactions: legs }) =>
          payee_id && category_id && flag_color && !transfer_account_id && legs.length === 0,
      );
    if (!found) throw new Error('The household has no such transaction.');
    return found;
  }

  /** LangChain checks arguments against a schema without null, so that its models never send null. */
  const withNulls = clients.map((client) => [client, client !== 'langchain'] as const);
  test.each(withNulls)(
    'a call of %s with one field set changes that field only',
    async (client, sendsNulls) => {
      const before = await transactionWithAll();
      const memo = `Set by ${client}`;
      const { results } = await runClient(node, client, {
        server: { url: http.url },
        calls: [{ name: 'update_transaction', args: { transaction_id: before.id, memo } }],
        sendsNulls,
      });
      if (sendsNulls)
        expect(results[0]?.sent).toMatchObject({ payee_id: null, category_id: null, clear: null });
      expect(results[0]?.text).toContain('Written.');
      expect(await home.transaction(before.id)).toEqual({ ...before, memo });
    },
  );

  test('langchain refuses null itself, and sends nothing', async () => {
    const knowledge = await home.knowledge();
    const { results } = await runClient(node, 'langchain', {
      server: { url: http.url },
      calls: [{ name: 'update_transaction', args: { transaction_id: 'abcdef', memo: 'Not written' } }],
      sendsNulls: true,
    });
    expect(results[0]?.text).toBe('Received tool input did not match expected schema');
    expect(await home.knowledge()).toBe(knowledge);
  });

  test.each(['openai-agents', 'mastra'])(
    '%s makes every field required, and those that may be left out nullable',
    async (client) => {
      const { tools } = await runClient(node, client, { server: { url: http.url }, calls: [] });
      const update = tools.find(({ name }) => name === 'update_transaction');
      const { properties, required } = schemaOfFields.parse(update?.parameters);
      expect(required.toSorted()).toEqual(Object.keys(properties).toSorted());
      expect(properties['category_id']).toEqual({ anyOf: [{ type: 'string' }, { type: 'null' }] });
    },
  );
});

const schemaOfFields = z.object({
  properties: z.record(z.string(), z.unknown()),
  required: z.array(z.string()),
});
