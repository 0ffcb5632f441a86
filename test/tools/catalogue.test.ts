import { expect, test } from 'vitest';
import { z } from 'zod';
import { milliunits } from '../../src/schema/fields.ts';
import { catalogue } from '../../src/tools/catalogue.ts';
import type { ReadTool } from '../../src/tools/tool.ts';
import { startHolding } from '../client/holding.helper.ts';
import { hostOf } from '../mcp/connected.helper.ts';
import { toolTables } from '../readme.ts';

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
  completer: {
    argument: 'season',
    candidates: async () => ['spring', 'autumn'].map((id) => ({ id, label: `the ${id}` })),
  },
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

test('a tool that is one object is listed, called, filtered, completed and documented without another change', async () => {
  const { client, clock, ledger } = await startHolding();
  const host = await hostOf({ client, clock }, { tools, toolsets: ['months'] });
  const listed = await host.listTools();
  expect(listed.tools.map(({ name }) => name)).toEqual([
    'list_months',
    'get_month',
    'get_status',
    'refresh_budget',
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

  const completed = await host.complete({
    ref: { type: 'ref/resource', uri: 'budget://v1/budgets/{budget_id}/weather/{season}' },
    argument: { name: 'season', value: 'the a' },
  });
  expect(completed.completion.values).toEqual(['autumn']);

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
