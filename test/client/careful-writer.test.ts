import { describe, expect, test } from 'vitest';
import { Baselines } from '../../src/client/baselines.ts';
import { CarefulWriter } from '../../src/client/careful-writer.ts';
import type { ErrorCode } from '../../src/errors.ts';
import { createScheduledTransaction } from '../../src/operations/scheduled-transactions.ts';
import { createTransactions, deleteTransaction } from '../../src/operations/transaction-writes.ts';
import { HurriedClock } from '../manual-clock.ts';
import { answered, failed, lost, ScriptedService, type Turn } from './scripted-service.ts';
import { failureOf } from './sending.ts';

const COFFEE = { account_id: 'a-1', date: '2026-11-21', amount: -4_500, payee_name: 'Café' };
const PLAN = { budget_id: 'b', account_id: 'a-1', date: '2026-12-01', amount: -30_000 };

/** What is due happens while somebody sleeps. */
class EventfulClock extends HurriedClock {
  readonly woken: (() => void)[] = [];

  override sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    for (const happen of this.woken.splice(0)) happen();
    return super.sleep(milliseconds, signal);
  }
}

function start(...script: Turn[]) {
  const service = new ScriptedService(...script);
  const clock = new EventfulClock('2026-11-21T12:00:00Z');
  const baselines = new Baselines(clock);
  const writer = new CarefulWriter(service, baselines, clock);
  const log = (rows: (typeof COFFEE)[] = [COFFEE], signal?: AbortSignal) =>
    writer.write(createTransactions, { budget_id: 'b', transactions: rows }, 'b', signal);
  const plan = () => writer.write(createScheduledTransaction, PLAN, 'b');
  const remove = (transaction_id: string) =>
    writer.write(deleteTransaction, { budget_id: 'b', transaction_id }, 'b');
  const lookUps = () => service.reads.filter(({ name }) => /transactions$/.test(name));
  return { service, clock, baselines, writer, log, plan, remove, lookUps };
}

describe('a write', () => {
  test('that is answered is sent once and looked for by nobody', async () => {
    const { service, log, lookUps } = start();
    const { outcome, data } = await log();
    expect(outcome).toBe('written');
    expect(data.transaction_ids).toEqual(service.entries.map(({ id }) => id));
    expect([service.sent.length, lookUps().length]).toEqual([1, 0]);
  });

  test.each<ErrorCode>(['bad_request', 'conflict', 'resource_not_found', 'too_many_requests', 'unreachable'])(
    'that is refused with %s is sent once, and the refusal is the answer',
    async (code) => {
      const { service, log, lookUps } = start(failed(code));
      expect((await failureOf(log())).code).toBe(code);
      expect([service.sent.length, lookUps().length]).toEqual([1, 0]);
    },
  );

  test('whose answer was lost and that has happened is confirmed with what the budget shows', async () => {
    const { service, log } = start(lost());
    const { outcome, data } = await log();
    const [entry] = service.entries;
    expect(outcome).toBe('confirmed_afterwards');
    expect(data.transaction).toMatchObject({ id: entry?.id, amount: -4_500, payee_name: 'Café' });
    expect(service.sent).toHaveLength(1);
  });

  test.each<ErrorCode>([
    'connection_lost',
    'timed_out',
    'internal_server_error',
    'service_unavailable',
    'unexpected_response',
  ])('that ended in %s and has not happened is sent just once more', async (code) => {
    const { service, log } = start(failed(code));
    expect((await log()).outcome).toBe('written');
    expect([service.sent.length, service.entries.length]).toEqual([2, 1]);
  });

  test('whose second answer was lost too is confirmed like the first', async () => {
    const { service, log } = start(failed(), lost());
    expect((await log()).outcome).toBe('confirmed_afterwards');
    expect(service.entries).toHaveLength(1);
  });

  test('that has not happened after two attempts is not written, and can be tried again', async () => {
    const { service, log } = start(failed(), failed('service_unavailable'));
    expect(await failureOf(log())).toMatchObject({ code: 'not_written', retryable: true });
    expect(service.sent).toHaveLength(2);
  });

  test.each<[string, Turn, Turn]>([
    ['twice', failed('timed_out'), failed('timed_out')],
    ['first', failed('timed_out'), failed('connection_lost')],
    ['last', failed(), failed('timed_out')],
    ['first, and could not be sent again,', failed('timed_out'), failed('too_many_requests')],
  ])('that timed out %s may still be on its way: its outcome is unknown', async (_, one, two) => {
    const { log } = start(one, two);
    expect((await failureOf(log())).code).toBe('outcome_unknown');
  });

  test('that a gateway has given up waiting for is not sent again, since the service is still at work on it', async () => {
    const { service, log } = start(failed('gateway_timed_out'));
    expect((await failureOf(log())).code).toBe('outcome_unknown');
    expect(service.sent).toHaveLength(1);
  });

  test('that cannot be looked for has an unknown outcome, is not repeated, and says how to check', async () => {
    const { service, log } = start(failed());
    service.readFailures.push(undefined, 'too_many_requests');
    expect(await failureOf(log())).toMatchObject({
      code: 'outcome_unknown',
      retryable: false,
      message: expect.stringContaining('could not be found out'),
      advice: expect.stringContaining('only if it has not been done'),
    });
    expect(service.sent).toHaveLength(1);
  });

  test('whose budget cannot be read beforehand is not sent', async () => {
    const { service, log } = start();
    service.readFailures.push('timed_out');
    const failure = await failureOf(log());
    expect(failure).toMatchObject({
      code: 'not_written',
      message: expect.stringContaining('nothing was sent'),
    });
    expect(service.sent).toEqual([]);
  });

  test.each([
    ['before the first look', 0],
    ['only within the half minute that the service may take', 1],
  ])('that the service is still at work on, and that is done %s, is not sent again', async (_, looks) => {
    const { service, clock, log } = start({
      ...failed(),
      meanwhile: () =>
        void clock.woken.push(() => {
          if (looks === 0) service.put(COFFEE);
          else clock.woken.push(() => service.put(COFFEE));
        }),
    });
    const before = clock.now();
    expect((await log()).outcome).toBe('confirmed_afterwards');
    expect(service.sent).toHaveLength(1);
    expect(clock.now() - before).toBe([1_000, 30_000][looks]);
  });

  test('is sent again no sooner than when the service can be at work on it no longer', async () => {
    const { service, clock, log } = start(failed('service_unavailable'));
    const before = clock.now();
    await log();
    expect(service.sent).toHaveLength(2);
    expect(clock.now() - before).toBe(30_000);
  });
});

describe('the refusal of a second attempt', () => {
  test.each<ErrorCode>(['conflict', 'resource_not_found'])(
    'with %s is looked into, and confirmed where the first attempt shows by now',
    async (code) => {
      const { service, log } = start(failed(), {
        ...failed(code),
        meanwhile: () => void service.put(COFFEE),
      });
      expect((await log()).outcome).toBe('confirmed_afterwards');
      expect(service.sent).toHaveLength(2);
    },
  );

  test('is the last word where the first attempt has not happened', async () => {
    const { log } = start(failed(), failed('resource_not_found'));
    expect((await failureOf(log())).code).toBe('resource_not_found');
  });

  test('leaves the outcome unknown where nobody can look: the first may have arrived late', async () => {
    const { service, log } = start(failed(), failed('too_many_requests'));
    service.readFailures.push(undefined, undefined, 'too_many_requests');
    expect((await failureOf(log())).code).toBe('outcome_unknown');
  });
});

describe('a deletion', () => {
  test('whose answer was lost is confirmed by the tombstone', async () => {
    const { service, remove } = start(lost());
    const { id } = service.put(COFFEE);
    const { outcome, data } = await remove(id);
    expect([outcome, data.transaction.id, service.sent.length]).toEqual(['confirmed_afterwards', id, 1]);
  });

  test('that finds nothing the second time, since the first was at work for long, has happened', async () => {
    const { service, remove } = start(failed(), {
      ...failed('resource_not_found'),
      meanwhile: () => void service.put({ ...COFFEE, id: 't-1', deleted: true }),
    });
    service.put({ ...COFFEE, id: 't-1' });
    expect((await remove('t-1')).outcome).toBe('confirmed_afterwards');
  });
});

describe('equal entries', () => {
  test('made at once are kept apart: each is sent after the one before has ended', async () => {
    const { service, log } = start(lost(), lost(), failed());
    const written = await Promise.all([log(), log(), log()]);
    const ids = written.map(({ data }) => data.transaction?.id);
    expect(new Set(ids).size).toBe(3);
    expect(ids).toEqual(service.entries.map(({ id }) => id));
    expect(written.flatMap(({ twins }) => twins)).toEqual([]);
  });

  test('do not vouch for each other: the first is not taken for the second, which was cut off', async () => {
    const { service, log } = start(answered, failed());
    await log();
    expect((await log()).outcome).toBe('written');
    expect(service.entries).toHaveLength(2);
  });

  test('of one request are found one for one, or not at all', async () => {
    const { service, log } = start(lost());
    const { data } = await log([COFFEE, COFFEE]);
    expect(data.transaction_ids).toEqual(service.entries.map(({ id }) => id));
  });

  test('go through after one that failed', async () => {
    const { log } = start(failed('bad_request'));
    const [first, second] = await Promise.allSettled([log(), log()]);
    expect([first.status, second.status]).toEqual(['rejected', 'fulfilled']);
  });

  test('that came in beside it are told as twins: a request may have arrived twice', async () => {
    const { service, log, plan } = start(
      { ...answered, meanwhile: () => void twin.push(service.put(COFFEE).id) },
      { ...answered, meanwhile: () => void twin.push(service.put(planned).id) },
      { ...answered, meanwhile: () => void service.put({ ...COFFEE, amount: -4_501 }) },
    );
    const planned = { ...PLAN, date_first: PLAN.date, date_next: PLAN.date };
    const twin: string[] = [];
    const told = [...((await log()).twins ?? []), ...((await plan()).twins ?? [])];
    expect(told).toEqual(twin);
    expect((await log()).twins).toEqual([]);
  });

  test('get no import_id, which would make an import of an entry', async () => {
    const { service, log } = start(failed(), lost());
    await log();
    for (const { transactions } of service.sent) expect(transactions).toEqual([COFFEE]);
  });
});

describe('the knowledge that a lost write is looked for from', () => {
  const sinceOf = ({ lookUps }: ReturnType<typeof start>) => lookUps().at(-1)?.since;

  test('is what a read has told a moment ago, without another request', async () => {
    const started = start(lost());
    started.baselines.learner('b')(100);
    await started.log();
    expect(started.service.reads.map(({ name }) => name)).toEqual(['list_transactions', 'get_budget']);
    expect(sinceOf(started)).toBe(100);
  });

  test('is not older than ten seconds', async () => {
    const started = start(lost());
    started.baselines.learner('b')(99);
    started.clock.advance(10_001);
    await started.log();
    expect(started.service.reads[0]).toMatchObject({ name: 'list_accounts', since: 99 });
    expect(sinceOf(started)).toBe(100);
  });

  test('counts its age from when it was asked for, not from when it came', async () => {
    const started = start(lost());
    const learn = started.baselines.learner('b');
    started.clock.advance(10_001);
    learn(99);
    await started.log();
    expect(sinceOf(started)).toBe(100);
  });

  test('never goes back', async () => {
    const started = start(lost());
    started.baselines.learner('b')(100);
    started.baselines.learner('b')(90);
    await started.log();
    expect(sinceOf(started)).toBe(100);
  });

  test('is that of the answer to the write before', async () => {
    const started = start(answered, lost());
    await started.log();
    const { knowledge } = started.service;
    await started.log();
    expect(sinceOf(started)).toBe(knowledge);
  });

  test.each<[string, (learn: () => (knowledge: number) => void) => Turn]>([
    [
      'was asked and answered while the write before was under way',
      (learn) => ({ ...answered, meanwhile: () => learn()(100) }),
    ],
    ['was asked before the write before', () => answered],
  ])('is never that of a read that %s', async (_, turnOf) => {
    const learn = () => started.baselines.learner('b');
    const started: ReturnType<typeof start> = start(
      turnOf(() => learn()),
      failed(),
    );
    const early = learn();
    await started.plan();
    early(100);
    expect((await started.plan()).outcome).toBe('written');
    expect(started.service.entries).toHaveLength(2);
    expect(sinceOf(started)).toBeGreaterThan(100);
  });

  test('looks for entries of any age: newer services would show those of the last year alone', async () => {
    const started = start(lost());
    await started.log();
    expect(started.lookUps()[0]?.input).toEqual({ budget_id: 'b', since_date: '1970-01-01' });
  });
});

describe('a caller that cancels', () => {
  test('before its turn has nothing sent', async () => {
    const { service, log } = start();
    const controller = new AbortController();
    const first = log();
    const second = failureOf(log([COFFEE], controller.signal));
    controller.abort();
    await first;
    expect((await second).code).toBe('cancelled');
    expect(service.sent).toHaveLength(1);
  });

  test('after it was sent does not stop it: it is seen through to its end', async () => {
    const controller = new AbortController();
    const { service, log } = start({ ...failed(), meanwhile: () => controller.abort() });
    expect((await log([COFFEE], controller.signal)).outcome).toBe('written');
    expect([service.sent.length, service.entries.length]).toEqual([2, 1]);
  });
});
