/** A host of a server whose service says something else than the embedded one: `change` gets each object of its responses. */
import { isJsonObject, type JsonObject } from '../src/base/json.ts';
import { getMonth } from '../src/operations/months.ts';
import { hostOf } from './mcp/connected.helper.ts';
import { startHolding } from './session/holding.helper.ts';

export async function startedAltered(
  change: (object: JsonObject) => JsonObject,
  options: Parameters<typeof startHolding>[0] = {},
) {
  const holding = await startHolding(options);
  holding.altering.answer = (_, body) =>
    JSON.stringify(JSON.parse(body, (_, value: unknown) => (isJsonObject(value) ? change(value) : value)));
  const host = await hostOf(holding, { confirm: 'none' });
  await host.listTools();
  const say = async (name: string, args = {}) => {
    const { content, structuredContent } = await host.callTool({ name, arguments: args });
    const text = content.map((each) => (each.type === 'text' ? each.text : '')).join('\n');
    return { text, all: `${text}\n${JSON.stringify(structuredContent)}` };
  };
  return { ...holding, host, say };
}

/** As the service has it for its own categories: a sum of all time. */
const OF_ALL_TIME = { budgeted: 1_004_000_000, balance: 1_004_000_000 };
const GOAL = { goal_type: 'TB', goal_target: 1_004_000_000, goal_under_funded: 1_004_000_000 };

export const inGerman = {
  'Inflow: Ready to Assign': 'Zufluss: Zu verteilen',
  Uncategorized: 'Ohne Kategorie',
};

/** Internal categories have sums of all time and a goal, and other names. */
export async function startedWithSums(names: Readonly<Record<string, string>> = {}, options = {}) {
  const started = await startedAltered((row) => {
    if (row['internal'] !== true || !('balance' in row)) return row;
    return { ...row, ...OF_ALL_TIME, ...GOAL, name: names[String(row['name'])] ?? row['name'] };
  }, options);
  const { month } = await started.direct(started.ledger.id).data(getMonth, { month: 'current' });
  return { ...started, toAssign: (month.to_be_budgeted / 1000).toFixed(2) };
}
