/**
 * Ten times as much takes about ten times as long, so that nothing that one person sends or has makes all others of a server wait.
 */
import { describe, expect, it } from 'vitest';
import { plainAmounts } from '../src/answers/units.ts';
import { addDays } from '../src/base/calendar.ts';
import type { JsonObject } from '../src/base/json.ts';
import { assignmentRules } from '../src/features/assign/category-needs.ts';
import { planAssignment } from '../src/features/assign/plan-assignment.ts';
import { catalogue } from '../src/features/catalogue.ts';
import { bankEntriesOf } from '../src/features/reconcile/bank-entries.ts';
import { compareWithList, mergesWith } from '../src/features/reconcile/bank-list.ts';
import { statementsIn } from '../src/features/reconcile/statements/read-statement.ts';
import { checkRule } from '../src/features/watch/rules.ts';
import { watchEvents } from '../src/features/watch/watch-events.ts';
import { BudgetReplica } from '../src/model/replica/budget-replica.ts';
import * as sample from './answers/samples.helper.ts';
import { budgetOf, many, shapes, slowOnes, TODAY } from './growth.helper.ts';
import { hostOf } from './mcp/connected.helper.ts';
import { startHolding } from './session/holding.helper.ts';

const [SOME, MORE] = [300, 3_000];

/** With their required arguments only, and those whose arguments lead elsewhere. */
const calls: readonly (readonly [string, JsonObject])[] = [
  ...catalogue.flatMap(({ name, kind, input, needsStatements }): (readonly [string, JsonObject])[] =>
    kind === 'read' && !needsStatements && name !== 'refresh_budget' && input.safeParse({}).success
      ? [[name, {}]]
      : [],
  ),
  ['report', { of: 'spending', by: 'payee', monthly: true, text: 'a' }],
  ['report', { of: 'net_worth', by: 'account' }],
  ['find_transactions', { text: 'a', limit: 500 }],
  ['find_transactions', { type: 'uncategorized' }],
  ['forecast', { category: 'cat-1' }],
  ['reconcile_account', { account: 'acc-1', balance: 1 }],
  ['list_account_transactions', { account_id: 'acc-1' }],
  ['list_payee_transactions', { payee_id: 'pay-1' }],
  ['get_month', { month: '2026-11' }],
  ['get_account', { account_id: 'none' }],
  ['review_transactions', { since: '2020-01-01' }],
];

describe.each(Object.entries(shapes))('%s', (_, shape) => {
  it('no call takes longer than its budget is larger', async () => {
    const hosts = await Promise.all(
      [SOME, MORE].map(async (size) => {
        const started = await startHolding({ cacheBytes: 2 ** 30 }, {});
        const { id } = started.ledger;
        const bodyOf = (budget: object) => JSON.stringify({ data: { budget, server_knowledge: 1 } });
        const whole = bodyOf({ ...budgetOf(shape(size)), id });
        const nothingNew = bodyOf({ ...sample.exported(), id });
        started.altering.answer = (path, answer) => {
          const [of = '', query] = path.split('?');
          if (!of.endsWith(`/budgets/${id}`)) return answer;
          return query === undefined ? whole : nothingNew;
        };
        const host = await hostOf(started, { structured: false, readView: async () => '' });
        return (name: string, args: JsonObject) => host.callTool({ name, arguments: args });
      }),
    );
    const runs = calls.map(([name, args]) => {
      const [some, more] = hosts.map((call) => () => call(name, args));
      if (!some || !more) throw new Error('There are two.');
      return { what: `${name} ${JSON.stringify(args)}`, some, more };
    });
    expect(await slowOnes(runs)).toEqual([]);
  });

  it('no budget takes longer to read and to watch than it is larger', async () => {
    const budgets = [SOME, MORE].map((size) => ({ budget: budgetOf(shape(size)), server_knowledge: 1 }));
    const replicas = budgets.map((each) => BudgetReplica.load(each, TODAY));
    const runOf = (what: string, run: (at: number) => unknown) => ({
      what,
      some: () => run(0),
      more: () => run(1),
    });
    expect(
      await slowOnes([
        runOf('load', (at) => {
          const each = budgets[at];
          if (each) BudgetReplica.load(each, TODAY).apply(each, TODAY);
        }),
        ...assignmentRules.map((rule) =>
          runOf(rule, (at) => {
            const requested = { rule, month: '2026-11-01', today: TODAY, months: 3, unit: 10 };
            const replica = replicas[at];
            if (replica) planAssignment(replica, requested);
          }),
        ),
        ...watchEvents.map((event) =>
          runOf(event.name, (at) => {
            const replica = replicas[at];
            const args = { account: 'acc-1', category: 'cat-1', payee: 'pay-1', amount: 1 };
            const input = Object.fromEntries(
              Object.entries(args).filter(([name]) => name in event.input.shape),
            );
            if (replica) checkRule(event, input, { replica, today: TODAY, money: plainAmounts(null) });
          }),
        ),
      ]),
    ).toEqual([]);
  });
});

const camt = (content: string) =>
  `<?xml version="1.0"?><Document><BkToCstmrStmt>${content}</BkToCstmrStmt></Document>`;

/** Files of a bank. What is read of them need not be a statement. */
const files: Readonly<Record<string, (size: number) => string>> = {
  lines: (size) => `Date,Payee,Amount\n${'2026-10-01,Shop,-1.00\n'.repeat(size)}`,
  'columns of numbers': (size) =>
    many(
      200,
      (row) => `2026-10-01,${many(size / 30, (at) => (row % (size / 30) === at ? row + 1 : 0))}`,
    ).join('\n'),
  accents: (size) => `Date,Status,Amount\n2026-10-01,a${'\u0301\u0323'.repeat(10 * size)},-1.00\n`,
  blanks: (size) => `!Type:Bank\nD${' '.repeat(100 * size)}x\nT-1\n^\n`,
  'long names of elements around many others': (size) =>
    camt(`${`<${'a'.repeat(42)}>`.repeat(30)}${'<Nm>x'.repeat(20 * size)}`),
  'levels of elements': (size) => camt('<a>'.repeat(10 * size)),
  'texts of MT940': (size) => `:20:x\n:61:2611031103D1,00NTRF\n:86:${'/REMI/'.repeat(size)}\u2028\n`,
};

it('no file of a bank takes longer to read than it is larger', async () => {
  const read = (text: string) => () => {
    try {
      statementsIn('bank', Buffer.from(text), TODAY);
    } catch (error) {
      if (error instanceof RangeError) throw error;
    }
  };
  const runs = Object.entries(files).map(([what, file]) => ({
    what,
    some: read(file(SOME)),
    more: read(file(MORE)),
  }));
  expect(await slowOnes(runs)).toEqual([]);
});

it('no list of equal rows takes longer to compare and to enter than it is longer', async () => {
  const compare = (size: number) => {
    const rows = Array.from({ length: size }, () => ({ date: '2026-10-25', amount: -10 }));
    const entries = Array.from({ length: 0.9 * size }, (_, at) =>
      sample.transaction({ id: `t${at}`, date: '2026-10-28', amount: -10 }),
    );
    return () => {
      const { missing } = compareWithList(rows, entries);
      expect([missing.length, rows.filter(mergesWith(entries)).length]).toEqual([0.1 * size, size]);
      bankEntriesOf(rows, { account: { id: 'a' }, transactions: [] }, 'cleared', () => ({}));
    };
  };
  const compareTexts = (size: number) => {
    const around = (at: number) => addDays('2026-10-15', (at % 21) - 10);
    const rows = many(size, (at) => ({ date: '2026-10-15', amount: -10, text: `${'a'.repeat(190)}${at}` }));
    const entries = many(size / 3, (at) =>
      sample.transaction({
        id: `t${at}`,
        date: around(at),
        amount: -10,
        payee_name: `${'a'.repeat(90)}b${at}`,
      }),
    );
    return () => compareWithList(rows, entries);
  };
  expect(
    await slowOnes([
      { what: 'equal rows', some: compare(SOME), more: compare(MORE) },
      {
        what: 'rows of one amount, each with its own text',
        some: compareTexts(SOME),
        more: compareTexts(MORE),
      },
    ]),
  ).toEqual([]);
});
