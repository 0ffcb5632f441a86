import { expect, test } from 'vitest';
import { z } from 'zod';
import type { ReadTool, WriteTool } from '../../src/answers/tool.ts';
import { writeFields } from '../../src/answers/write-result.ts';
import { milliunits } from '../../src/base/schema/fields.ts';
import { catalogue } from '../../src/features/catalogue.ts';
import { planOperation } from '../../src/features/mirror/plan-operation.ts';
import { createTransactions } from '../../src/operations/transaction-writes.ts';
import { toolTables } from '../documents.ts';
import { hostOf } from '../mcp/connected.helper.ts';
import { startHolding } from '../session/holding.helper.ts';

/** All that there is of a tool which no other file names. */
const weather: ReadTool = {
  name: 'get_weather',
  title: 'Get weather',
  description: 'What an umbrella costs at this time of the year.',
  kind: 'read',
  toolset: 'months',
  input: z.strictObject({ budget_id: z.string().optional(), season: z.enum(['spring', 'autumn']) }),
  output: z.object({ price: milliunits, season: z.string() }),
  resource: 'budget://v1/budgets/{budget_id}/weather/{season}',
  example: { season: 'spring' },
  async run(call, { season }) {
    const fresh = await call.replica();
    return { data: { price: 12_500, season }, ...(fresh && { freshness: fresh.freshness }) };
  },
  text: ({ data }, { money }) => ({
    heading: [String(data['season'])],
    lines: [`An umbrella costs ${money(Number(data['price']))}.`],
  }),
};

const tools = [...catalogue, weather];

test('a tool that is one object is listed, called, filtered and documented without another change', async () => {
  const { client, clock, ledger } = await startHolding();
  const host = await hostOf({ client, clock }, { tools, toolsets: ['months'] });
  const listed = await host.listTools();
  expect(listed.tools.map(({ name }) => name)).toEqual([
    'undo',
    'list_writes',
    'get_status',
    'refresh_budget',
    'list_watches',
    'stop_watch',
    'get_month',
    'list_months',
    'get_weather',
  ]);
  expect(listed.tools.at(-1)).toMatchObject({
    description: weather.description,
    annotations: { readOnlyHint: true },
    inputSchema: { required: ['season'] },
  });

  for (const _ of [1, 2]) await host.callTool({ name: 'list_months', arguments: {} });
  const answer = await host.callTool({ name: 'get_weather', arguments: { season: 'autumn' } });
  expect(answer.structuredContent).toMatchObject({
    budget: { id: ledger.id },
    price: 12.5,
    season: 'autumn',
    freshness: { source: 'replica' },
  });
  const [text] = answer.content;
  expect(text).toMatchObject({
    text: expect.stringMatching(/^Budget "Household" \(EUR\) · autumn\nAn umbrella costs .*12[.,]50/),
  });
  const { contents } = await host.readResource({ uri: `budget://v1/budgets/${ledger.id}/weather/spring` });
  expect(contents).toHaveLength(1);

  const others = await hostOf({ client, clock }, { tools, toolsets: ['accounts'] });
  expect((await others.listTools()).tools.map(({ name }) => name)).not.toContain('get_weather');

  expect(toolTables(tools)).toContain(`| \`get_weather\` | ${weather.description}<br>`);
});

test('a read-only server keeps a tool that reads and hides one that writes', async () => {
  const { connect, service, clock } = await startHolding();
  const client = connect(service.accessToken, { readOnly: true });
  const host = await hostOf({ client, clock }, { tools });
  const names = (await host.listTools()).tools.map(({ name }) => name);
  expect(names).toContain('get_weather');
  expect(names).not.toContain('create_transactions');
});

test('every name in the catalogue is there once', () => {
  const names = catalogue.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
});

test('a tool that writes is one object, with dry runs, balances and read-only mode like every other', async () => {
  const { client, connect, clock, ledger, service } = await startHolding();
  const account_id = ledger.accounts()[0]?.id ?? expect.unreachable();
  const logCoffee: WriteTool = {
    name: 'log_coffee',
    title: 'Log a coffee',
    description: 'Enters a coffee.',
    kind: 'create',
    input: z.strictObject({ budget_id: z.string().optional(), price: milliunits }),
    output: z.object(writeFields),
    example: { price: 4.5 },
    plan: async (call, { price }) =>
      planOperation(call, createTransactions, {
        transactions: [{ account_id, date: call.today, amount: -Number(price), payee_name: 'Café' }],
      }),
  };
  const tools = [...catalogue, logCoffee];
  const coffees = () => ledger.transactions(undefined).filter(({ amount }) => amount === -4_560);
  const host = await hostOf({ client, clock }, { tools });
  const call = async (args: object) =>
    host.callTool({ name: 'log_coffee', arguments: { price: 4.56, ...args } });

  const simulated = await call({ dry_run: true });
  expect(simulated.structuredContent).toMatchObject({ outcome: 'dry_run' });
  expect(coffees()).toHaveLength(0);

  const written = await call({});
  expect(written.structuredContent).toMatchObject({ outcome: 'written', budget: { id: ledger.id } });
  expect(coffees()).toHaveLength(1);

  const reader = connect(service.accessToken, { readOnly: true });
  const readOnly = await hostOf({ client: reader, clock }, { tools });
  expect((await readOnly.listTools()).tools.map(({ name }) => name)).not.toContain('log_coffee');
});
