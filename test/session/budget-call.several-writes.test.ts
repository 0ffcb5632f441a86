import { expect, test } from 'vitest';
import { BudgetError } from '../../src/base/errors.ts';
import { listAccounts } from '../../src/operations/accounts.ts';
import { createTransactions, deleteTransaction } from '../../src/operations/transaction-writes.ts';
import { createPayee } from '../../src/service/ledger/payees.ts';
import type { BudgetClientOptions } from '../../src/session/budget-client.ts';
import type { WriteSteps } from '../../src/session/call-writes.ts';
import { RateBudget } from '../../src/session/rate-budget/rate-budget.ts';
import { callOperation } from '../call-operation.helper.ts';
import { BEHIND, DROPPED, NO_FAULT, UNANSWERED } from '../faulty-proxy.helper.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { failureOf } from './sending.helper.ts';
import { startWriting } from './writing-client.helper.ts';

const entry = { name: 'log_two', title: 'Log two' };
const NEVER = { deliveries: 0, answer: 'never' } as const;

/** A call that logs two coffees, one after the other. */
async function startLoggingTwo(options: Partial<BudgetClientOptions> = {}) {
  const started = await startWriting(options);
  const { client, coffee, passing } = started;
  /** What happens after the first of the two writes, and how often the two were begun. */
  const between: { run: () => unknown; begun: number } = { run: () => {}, begun: 0 };
  const logTwo = async ({ write }: WriteSteps) => {
    between.begun += 1;
    const input = { transactions: [coffee] };
    const first = await write(createTransactions, input);
    await between.run();
    try {
      const second = await write(createTransactions, input);
      return { outcome: second.outcome, data: { first: first.data, second: second.data } };
    } catch (error) {
      if (!(error instanceof BudgetError)) throw error;
      throw new BudgetError('partly_written', `The first stands. ${error.message}`, { cause: error });
    }
  };
  const start = (signal?: AbortSignal, mustNotSend = false) =>
    client.begin({ signal }).writeTogether(entry, { cups: 2 }, logTwo, { mustNotSend });
  return { ...started, between, start, both: () => passing(start()) };
}

test('several writes of one call are sent one after the other and have one result', async () => {
  const { both, coffees, sent, client } = await startLoggingTwo();
  const { data, outcome, earlier_call } = await both();
  expect([Object.keys(data), outcome, earlier_call]).toEqual([['first', 'second'], 'written', undefined]);
  expect([coffees(), sent()]).toEqual([2, 2]);
  expect((await client.status()).writes).toEqual([]);
});

test('an equal call after a delivered result writes again', async () => {
  const { both, coffees } = await startLoggingTwo();
  await both();
  expect((await both()).earlier_call).toBeUndefined();
  expect(coffees()).toBe(4);
});

test('a call of several writes that is cancelled before the first one sends nothing', async () => {
  const { start, passing, coffees, sent, client } = await startLoggingTwo();
  const cancelling = new AbortController();
  const call = start(cancelling.signal);
  cancelling.abort();
  expect((await failureOf(passing(call))).code).toBe('cancelled');
  expect([coffees(), sent()]).toEqual([0, 0]);
  expect((await client.status()).writes).toEqual([]);
});

test('a call that is cancelled after the first of its writes is carried out, and an equal call returns its outcome', async () => {
  const { start, both, between, passing, pass, coffees, sent, client } = await startLoggingTwo();
  const cancelling = new AbortController();
  between.run = () => cancelling.abort();
  expect((await failureOf(passing(start(cancelling.signal)))).code).toBe('outcome_unknown');
  await pass(1_000);
  expect((await client.status()).writes).toMatchObject([{ tool: 'log_two', state: 'written' }]);
  const { data, earlier_call } = await both();
  expect([Object.keys(data), earlier_call]).toEqual([['first', 'second'], '2026-11-21T12:00:00.000Z']);
  expect([coffees(), sent()]).toEqual([2, 2]);
});

test('a write that is cancelled while the budget is read before it does not keep the next one waiting', async () => {
  const { client, clock, faults, log, passing, coffees } = await startWriting();
  const [transaction_id = ''] = (await log()).data.transaction_ids;
  faults.reads.push(...Array.from({ length: 3 }, () => ({ deliveries: 0, answer: '503' }) as const));
  const cancelling = new AbortController();
  const before = clock.monotonic();
  void clock.sleep(50).then(() => cancelling.abort());
  const removal = client.begin({ signal: cancelling.signal }).write(deleteTransaction, { transaction_id });
  expect((await failureOf(passing(removal))).code).toBe('cancelled');
  faults.reads.length = 0;
  expect((await log()).outcome).toBe('written');
  expect(clock.monotonic() - before).toBe(50);
  expect(coffees()).toBe(2);
});

test('the host of several writes gets a result within ten seconds, and an equal call waits for the outcome', async () => {
  const { both, faults, clock, coffees, sent, pass } = await startLoggingTwo();
  // The first search for the second write fails, so that it is found too late for the host.
  faults.writes.push(NO_FAULT, UNANSWERED);
  faults.reads.push(
    NO_FAULT,
    NO_FAULT,
    ...Array.from({ length: 6 }, () => ({ deliveries: 0, answer: '503' }) as const),
  );
  const before = clock.monotonic();
  const { code, message } = await failureOf(both());
  expect([clock.monotonic() - before, code]).toEqual([10_000, 'outcome_unknown']);
  expect(message).toContain('Log two: after 10 s');
  await pass(60_000);
  expect((await both()).earlier_call).toBeDefined();
  expect([coffees(), sent()]).toEqual([2, 2]);
});

test('a repetition of several writes whose result was delivered sends nothing', async () => {
  const { both, start, passing, sent } = await startLoggingTwo();
  await both();
  expect((await failureOf(passing(start(undefined, true)))).code).toBe('conflict');
  expect(sent()).toBe(2);
});

test('an equal call after several writes that were carried out in part says which, once', async () => {
  const { both, faults, between, coffees, pass, client } = await startLoggingTwo();
  faults.writes.push(NO_FAULT, DROPPED);
  expect((await failureOf(both())).code).toBe('outcome_unknown');
  await pass(60_000);
  expect((await client.status()).writes).toMatchObject([{ state: 'partly_written' }]);
  const { code, message } = await failureOf(both());
  expect(code).toBe('partly_written');
  expect(message).toContain('Log two: an earlier equal call was carried out in part');
  expect(message).toContain('The first stands.');
  expect([coffees(), between.begun]).toEqual([1, 1]);
  expect((await both()).outcome).toBe('written');
});

test('an equal call after several writes of which one stays unknown sends nothing and says so', async () => {
  const { both, faults, between, pass } = await startLoggingTwo();
  faults.writes.push(NEVER);
  await failureOf(both());
  await pass(120_000);
  for (const _ of [1, 2]) {
    const { code, message } = await failureOf(both());
    expect([code, message]).toEqual([
      'outcome_unknown',
      expect.stringContaining('an earlier equal call may have been carried out. Create transactions:'),
    ]);
  }
  expect(between.begun).toBe(1);
});

test('no other write of the program comes between several writes of one call', async () => {
  const { start, client, coffee, passing, ledger } = await startLoggingTwo();
  const both = start();
  const other = callOperation(client, createTransactions, { transactions: [{ ...coffee, amount: -1 }] });
  await passing(Promise.all([both, other]));
  const newest = ledger.transactions(undefined).filter(({ date }) => date === coffee.date);
  expect(newest.slice(-3).map(({ amount }) => amount)).toEqual([coffee.amount, coffee.amount, -1]);
});

test('several writes wait for one another, and a call that is cancelled while it waits is not begun', async () => {
  const { start, between, passing, coffees } = await startLoggingTwo();
  const cancelling = new AbortController();
  const first = start();
  const second = start(cancelling.signal);
  between.run = () => cancelling.abort();
  expect((await failureOf(passing(second))).code).toBe('cancelled');
  await passing(first);
  expect([between.begun, coffees()]).toEqual([1, 2]);
});

test('after another sign-in between two writes the second one is not sent', async () => {
  const { both, between, signInAnew, coffees, sent } = await startLoggingTwo();
  between.run = signInAnew;
  const { code, message } = await failureOf(both());
  expect([code, message]).toEqual(['partly_written', expect.stringContaining('The sign-in changed')]);
  expect([coffees(), sent()]).toEqual([1, 1]);
});

test('several writes are refused in read-only mode before anything is done', async () => {
  const { both, between, sent } = await startLoggingTwo({ readOnly: true });
  expect((await failureOf(both())).code).toBe('read_only');
  expect([between.begun, sent()]).toEqual([0, 0]);
});

/** A call that only reads the budget as it is now. */
async function startUpdating(options: Partial<BudgetClientOptions> = {}) {
  const started = await startWriting({ cacheBytes: 2 ** 26, ...options });
  const { client, passing } = started;
  for (const _ of [1, 2]) await passing(callOperation(client, listAccounts, {}));
  const update = () =>
    passing(
      client.begin().writeTogether(entry, {}, async ({ update }) => {
        const { payees } = await update();
        return { outcome: 'written', data: { names: payees.list().map(({ name }) => name) } };
      }),
    );
  return { ...started, update };
}

test('a call of several writes reads the budget as it is now, although the cached one is fresh', async () => {
  const { update, ledger } = await startUpdating();
  ledger.commit((state) => createPayee(state, 'Florist'));
  expect((await update()).data['names']).toContain('Florist');
});

test('a call of several writes does not go on with an older budget', async () => {
  const { update, faults, pass, log } = await startUpdating();
  await log();
  faults.reads.push(BEHIND, BEHIND, BEHIND);
  expect((await failureOf(update())).message).toContain('could not be read as it is now');
  faults.reads.push(...Array.from({ length: 3 }, () => DROPPED));
  expect((await failureOf(update())).code).toBe('connection_lost');
  await pass(30_000);
  expect((await update()).outcome).toBe('written');
});

test('the journal has what each of several writes has made of a cached budget', async () => {
  const { client, both, passing } = await startLoggingTwo({ cacheBytes: 2 ** 26 });
  await passing(client.begin().refresh(false));
  await both();
  const [{ steps } = expect.unreachable()] = await client.begin().journal();
  expect(steps).toHaveLength(2);
  const written = steps.map(({ data }) => data['transaction_ids']);
  expect(steps.map(({ after = [] }) => after.map(({ id }) => id))).toEqual(written);
});

test('the journal has what one of several writes has changed as its caller knew it', async () => {
  const { client, coffee, passing } = await startWriting();
  const known = { rows: [{ id: 'payee', name: 'Bakery' }], knowledge: 7 };
  await passing(
    client
      .begin()
      .writeTogether(entry, {}, ({ write }) => write(createTransactions, { transactions: [coffee] }, known)),
  );
  expect(await client.begin().journal()).toMatchObject([
    { steps: [{ before: known.rows, knowledgeBefore: known.knowledge }] },
  ]);
});

class RecordingRateBudget extends RateBudget {
  readonly taken: string[] = [];

  override take(kind: 'read' | 'write') {
    this.taken.push(kind);
    return super.take(kind);
  }
}

test('what a call of several writes reads is paid for by the requests that are reserved for writes', async () => {
  const rateBudget = new RecordingRateBudget({ clock: new ManualClock(0), limit: 100_000 });
  const { update } = await startUpdating({ rateBudget: () => rateBudget });
  expect(new Set(rateBudget.taken.splice(0))).toEqual(new Set(['read']));
  await update();
  expect(rateBudget.taken).toEqual(['write']);
});
