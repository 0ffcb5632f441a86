/** A service whose internal categories have sums of all time, as the real one has them, and a host of a server before it. */
import { isJsonObject } from '../../src/base/json.ts';
import { getMonth } from '../../src/operations/months.ts';
import { hostOf } from '../mcp/connected.helper.ts';
import { startHolding } from '../session/holding.helper.ts';

/** As the service has it for its own categories: a sum of all time. */
const OF_ALL_TIME = { budgeted: 1_004_000_000, balance: 1_004_000_000 };
const GOAL = { goal_type: 'TB', goal_target: 1_004_000_000, goal_under_funded: 1_004_000_000 };

/** A response of the service, whose internal categories have sums of all time and a goal, and other names. */
function withSumsOfAllTime(body: string, names: Readonly<Record<string, string>> = {}): string {
  return JSON.stringify(
    JSON.parse(body, (_, value: unknown) =>
      isJsonObject(value) && value['internal'] === true && 'balance' in value
        ? { ...value, ...OF_ALL_TIME, ...GOAL, name: names[String(value['name'])] ?? value['name'] }
        : value,
    ),
  );
}

export const inGerman = {
  'Inflow: Ready to Assign': 'Zufluss: Zu verteilen',
  Uncategorized: 'Ohne Kategorie',
};

export async function startedWithSums(names = {}, options = {}) {
  const holding = await startHolding(options);
  holding.altering.answer = (_, body) => withSumsOfAllTime(body, names);
  const host = await hostOf(holding, { confirm: 'none' });
  await host.listTools();
  const say = async (name: string, args = {}) => {
    const { content, structuredContent } = await host.callTool({ name, arguments: args });
    const text = content.map((each) => (each.type === 'text' ? each.text : '')).join('\n');
    return { text, all: `${text}\n${JSON.stringify(structuredContent)}` };
  };
  const { month } = await holding.direct(holding.ledger.id).data(getMonth, { month: 'current' });
  return { ...holding, host, say, toAssign: (month.to_be_budgeted / 1000).toFixed(2) };
}
