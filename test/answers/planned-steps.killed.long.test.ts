/** Each write of several steps, whose process is killed at each point, and the process that is asked for the same after that. */
import { expect, test } from 'vitest';
import { createTransactions } from '../../src/service/writes/create-transactions.ts';
import { SharedMemory } from '../../src/store/memory-store.ts';
import { DROPPED, type Fault, NO_FAULT, UNANSWERED } from '../faulty-proxy.helper.ts';
import { MONTH } from '../features/moving.helper.ts';
import { hostOf } from '../mcp/connected.helper.ts';
import { type Process, type Sharing, startSharing } from '../session/sharing-processes.helper.ts';

const MAX_CALLS = 20;
/** A kill at every third point, so that a run takes a third of the time. `KILL_EVERY=1` kills at all of them. */
const KILL_EVERY = Number(process.env['KILL_EVERY'] ?? 3);
const KILLED = { text: 'killed', isError: true };

type Call = (name: string, args?: object) => Promise<{ readonly text: string; readonly isError: boolean }>;

/** A host of a process. Its calls never end if the process is killed. */
async function hostWith({ passing, clock }: Sharing, { client, life }: Process): Promise<Call> {
  const host = await hostOf({ client, clock }, { confirm: 'none' });
  const killed = new Promise<typeof KILLED>((resolve) => life.onKilled(() => resolve(KILLED)));
  return async (name, args = {}) => {
    const calling = host.callTool({ name, arguments: { ...args } }).then(({ content, isError }) => ({
      text: content.map((each) => (each.type === 'text' ? each.text : '')).join('\n'),
      isError: isError === true,
    }));
    return passing(Promise.race([killed, calling]));
  };
}

/** What one process is asked for, and what is there before and after that. */
interface Asked {
  readonly args: object;
  state(): unknown;
  readonly wanted: unknown;
}

interface Write {
  readonly tool: string;
  /** The requests that it needs. Undefined if one of them may change nothing: it cannot be recognised, and is sent again. */
  readonly steps?: number;
  /** Whether an equal call begins anew, with an entry of its own in the journal. */
  readonly beginsAnew?: boolean;
  prepare(sharing: Sharing, call: Call, round: number): Promise<Asked>;
  /** An error that says that nothing is left to do. */
  readonly isDone?: RegExp;
  /** An error that says what stands, where an equal call does not go on, and what is there then. */
  readonly isPart?: readonly [text: RegExp, state: (before: unknown) => unknown];
}

const budgetedIn = ({ ledger }: Sharing, names: readonly string[]) => {
  const { categories = [] } = ledger.month(MONTH) ?? {};
  return names.map((each) => categories.find(({ name }) => name === each)?.budgeted ?? expect.unreachable());
};

const assigning = (amounts: Readonly<Record<string, number>>): Write => ({
  tool: 'assign_money',
  steps: Object.keys(amounts).length,
  async prepare(sharing) {
    const state = () => budgetedIn(sharing, Object.keys(amounts));
    const before = state();
    return {
      args: { amounts: Object.entries(amounts).map(([category, amount]) => ({ category, amount })) },
      state,
      wanted: Object.values(amounts).map((amount, at) => (before[at] ?? 0) + amount * 1_000),
    };
  },
});

const numbers = (state: unknown): number[] => (Array.isArray(state) ? state.map(Number) : []);

const moving: Write = {
  tool: 'move_budgeted',
  steps: 2,
  async prepare(sharing) {
    const state = () => budgetedIn(sharing, ['Groceries', 'Hobbies']);
    const [from = 0, to = 0] = state();
    const args = { from: 'Groceries', to: 'Hobbies', amount: 50 };
    return { args, state, wanted: [from - 50_000, to + 50_000] };
  },
  isPart: [
    /is ready to be assigned now, and "Hobbies" did not get it/,
    (before) => numbers(before).map((amount, at) => (at === 0 ? amount - 50_000 : amount)),
  ],
};

const approving: Write = {
  tool: 'approve_transactions',
  steps: 1,
  async prepare({ ledger, coffee }, call, round) {
    const payee_name = `Harvest Hall ${round}`;
    ledger.commit((books) =>
      createTransactions(
        books,
        [1_000, 2_000, 3_000].map((amount) => ({ ...coffee, amount: -amount, payee_name })),
      ),
    );
    await call('refresh_budget');
    const rows = () => ledger.transactions(undefined).filter((each) => each.payee_name === payee_name);
    return {
      args: { payee: payee_name, expected: 3 },
      state: () => rows().map(({ approved }) => approved),
      wanted: [true, true, true],
    };
  },
  isDone: /^.*0 unapproved transactions match, and not 3/,
};

/** Two rows that the account lacks, and one that is not cleared in it. Their amounts are new in each round. */
const reconciling: Write = {
  tool: 'apply_reconciliation',
  steps: 2,
  beginsAnew: true,
  async prepare({ ledger, coffee, enterCoffee, passing }, call, round) {
    const amounts = [1, 2, 3].map((each) => -(100_000 * each + round * 10));
    await passing(enterCoffee(amounts[2] ?? 0));
    const rows = amounts.map((amount) => ({ date: coffee.date, amount: amount / 1_000 }));
    await call('refresh_budget');
    await call('reconcile_account', { account: 'Wallet', rows });
    const found = (wanted: number) =>
      ledger.transactions(undefined).filter(({ amount, deleted }) => amount === wanted && !deleted);
    return {
      args: { account: 'Wallet', enter: true },
      state: () => amounts.map((each) => found(each).map(({ cleared }) => cleared)),
      wanted: [['cleared'], ['cleared'], ['cleared']],
    };
  },
  isDone: /nothing is left to mark or to enter/,
};

/** Three entries, of which one is a transfer, are taken back; or after that, the taking back is taken back. */
const undoing = (of: 'create_transactions' | 'undo'): Write => ({
  tool: 'undo',
  async prepare({ ledger, coffee }, call, round) {
    const memo = `entered ${round}`;
    const entries = [{ amount: -1 }, { amount: -2, payee_name: 'Transfer : Savings' }, { amount: -3 }];
    await call('create_transactions', {
      transactions: entries.map((each) => ({ ...coffee, memo, ...each })),
    });
    if (of === 'undo') await call('undo');
    const { text } = await call('list_writes');
    const write = new RegExp(`^(\\w+) · \\S+ · ${of} · `, 'm').exec(text)?.[1];
    const rows = () => ledger.transactions(undefined).filter((each) => each.memo === memo && !each.deleted);
    return { args: { write }, state: () => rows().length, wanted: of === 'undo' ? 4 : 0 };
  },
  isDone: /was taken back already/,
});

const EIGHT = {
  Groceries: 10,
  'Emergency Fund': -40,
  Pets: 5,
  Fuel: 5,
  Clothing: -20,
  Gifts: 15,
  Hobbies: 15,
  Streaming: 10,
};
const FOUR = { Groceries: 10, 'Emergency Fund': -15, Clothing: -5, Gifts: 10 };

const third = (fault: Fault): readonly Fault[] => [NO_FAULT, NO_FAULT, fault];

const cases: readonly (readonly [string, Write, readonly Fault[], isRunning: boolean])[] = [
  ['an assignment', assigning(EIGHT), [], false],
  ['an assignment', assigning(EIGHT), [], true],
  ['an assignment whose third answer is lost', assigning(FOUR), third(UNANSWERED), false],
  ['an assignment whose third answer is lost', assigning(FOUR), third(UNANSWERED), true],
  ['an assignment whose third request is lost', assigning(FOUR), third(DROPPED), false],
  ['an assignment whose third request is lost', assigning(FOUR), third(DROPPED), true],
  ['a move', moving, [], false],
  ['a move', moving, [], true],
  ['an approval', approving, [], true],
  ['a reconciliation', reconciling, [], false],
  ['a reconciliation', reconciling, [], true],
  ['an undo of entries', undoing('create_transactions'), [], false],
  ['an undo of deletions', undoing('undo'), [], false],
];

test.each(
  // Each begins at another point, so that together they meet all of them.
  cases.map((each, index) => [...each, 1 + (index % KILL_EVERY)] as const),
)(
  'whatever the point of a kill, each step of %s is sent once, and undo restores all',
  async (_, { tool, steps, prepare, isDone, isPart, beginsAnew }, writeFaults, isRunning, firstKill) => {
    const sharing = await startSharing();
    const { ledger, sent, pass } = sharing;
    const sum = () => {
      const { budgeted = 0, to_be_budgeted = 0 } = ledger.month(MONTH) ?? {};
      return budgeted + to_be_budgeted;
    };
    const ends = new Set<string>();
    const isDropped = writeFaults.at(-1) === DROPPED;
    for (let killAt = firstKill; ; killAt += KILL_EVERY) {
      const memory = new SharedMemory();
      const start = async () => {
        const started = sharing.startProcess(memory, { cacheBytes: 2 ** 26 });
        return { ...started, call: await hostWith(sharing, started) };
      };
      const first = await start();
      const other = isRunning ? await start() : undefined;
      await other?.call('list_accounts');
      await first.call('list_accounts');
      const { args, state, wanted } = await prepare(sharing, first.call, killAt);
      const before = { state: state(), sum: sum(), sent: sent() };
      first.life.killAt = first.life.events.length + killAt;
      sharing.faults.writes = [...writeFaults];
      const end = await first.call(tool, args);
      if (end !== KILLED) {
        // That a request is lost is proven later than the host waits.
        if (isDropped) expect(end.text).toContain('It is still being looked for.');
        else expect([killAt, end.text, end.isError, state()]).toEqual([killAt, end.text, false, wanted]);
        break;
      }
      const isLost = sharing.faults.writes.length === 0 && isDropped;
      sharing.faults.writes = [];
      const point = `${killAt}: ${first.life.events.at(-1)}`;
      const isState = (other: unknown) => JSON.stringify(state()) === JSON.stringify(other);
      ends.add(isState(before.state) ? 'none' : isState(wanted) ? 'all' : 'some');

      const { call } = other ?? (await start());
      const isEnd = ({ text, isError }: typeof KILLED) =>
        !isError || isDone?.test(text) === true || isPart?.[0].test(text) === true;
      let answer = await call(tool, args);
      for (let calls = 1; calls < MAX_CALLS && !isEnd(answer); calls += 1) {
        await pass(2_000);
        answer = await call(tool, args);
      }
      const hasPart = answer.isError && isPart?.[0].test(answer.text) === true;
      expect([point, isEnd(answer), answer.text, state()]).toEqual([
        point,
        true,
        answer.text,
        hasPart ? isPart?.[1](before.state) : wanted,
      ]);
      if (steps === undefined) continue;
      // A request that was lost is sent again.
      expect([point, sent() - before.sent]).toEqual([point, hasPart ? 1 : steps + (isLost ? 1 : 0)]);
      const { text } = await call('list_writes');
      const ids = [...text.matchAll(new RegExp(`^([\\da-f]{8}) · \\S+ · ${tool} · `, 'gm'))].map(
        ([, id]) => id,
      );
      if (!beginsAnew) expect([point, ids]).toEqual([point, [expect.any(String)]]);
      for (const write of ids) {
        const undone = await call('undo', { write });
        expect([point, undone.text, undone.isError]).toEqual([point, undone.text, false]);
      }
      expect([point, state(), sum()]).toEqual([point, before.state, before.sum]);
    }
    expect(ends).toContain('none');
    if (steps !== undefined && steps > 2) expect(ends).toContain('some');
  },
  300_000,
);
