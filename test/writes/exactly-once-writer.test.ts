import { describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../src/errors.ts';
import { answered, failed, lost, type Turn } from '../client/scripted-service.ts';
import { failureOf } from '../client/sending.ts';
import { COFFEE, PLAN, type Started, start } from './scripted-writer.ts';

describe('a write', () => {
  test('that is answered is sent once and looked for by nobody', async () => {
    const { service, log, lookUps } = start();
    const { outcome, data } = await log();
    expect(outcome).toBe('written');
    expect(data.transaction_ids).toEqual(service.entries.map(({ id }) => id));
    expect([service.sent.length, lookUps().length]).toEqual([1, 0]);
  });

  test.each<ErrorCode>(['bad_request', 'resource_not_found', 'too_many_requests', 'unreachable'])(
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

  test.each<[ErrorCode, ErrorCode]>([
    ['connection_lost', 'not_written'],
    ['internal_server_error', 'not_written'],
    ['service_unavailable', 'not_written'],
    ['unexpected_response', 'not_written'],
    ['timed_out', 'outcome_unknown'],
    ['gateway_timed_out', 'outcome_unknown'],
  ])('that ended in %s and has not happened is not sent again: it is %s', async (failure, code) => {
    const { service, log } = start(failed(failure));
    expect((await failureOf(log())).code).toBe(code);
    expect([service.sent.length, service.entries.length]).toEqual([1, 0]);
  });

  test('that cannot be looked for has an unknown outcome, and says how to go on', async () => {
    const { service, log } = start(failed());
    service.readFailures.push(undefined, ...Array<ErrorCode>(5).fill('too_many_requests'));
    expect(await failureOf(log())).toMatchObject({
      code: 'outcome_unknown',
      retryable: false,
      message: expect.stringContaining('could not be found out'),
      advice: expect.stringContaining('get_status'),
    });
    expect(service.sent).toHaveLength(1);
  });

  test('that could not be looked for at first is found later', async () => {
    const { service, log } = start(lost());
    service.readFailures.push(undefined, 'too_many_requests', 'too_many_requests');
    expect((await log()).outcome).toBe('confirmed_afterwards');
  });

  test('whose budget cannot be read beforehand is not sent', async () => {
    const { service, log } = start();
    service.readFailures.push('timed_out');
    expect(await failureOf(log())).toMatchObject({
      code: 'not_written',
      message: expect.stringContaining('nothing was sent'),
    });
    expect(service.sent).toEqual([]);
  });
});

describe('a lost write', () => {
  test.each([
    [0, 1_000],
    [1, 5_000],
    [2, 15_000],
    [3, 30_000],
    [4, 50_000],
  ])(
    'that is carried out after %i looks is found with the next, %i ms after it was lost',
    async (looks, after) => {
      const put = (left: number): void =>
        void clock.onNextSleep.push(() => {
          if (left === 0) service.put(COFFEE);
          else put(left - 1);
        });
      const { service, clock, log } = start({ ...failed(), meanwhile: () => put(looks) });
      const before = clock.monotonic();
      expect((await log()).outcome).toBe('confirmed_afterwards');
      expect(service.sent).toHaveLength(1);
      expect(clock.monotonic() - before).toBe(after);
    },
  );

  test('is not given up before the half minute of the service and the lag of its copies are both over', async () => {
    const { clock, log } = start(failed('service_unavailable'));
    const before = clock.monotonic();
    expect((await failureOf(log())).code).toBe('not_written');
    expect(clock.monotonic() - before).toBe(50_000);
  });

  test.each([
    ['forward', 3_600_000],
    ['back', -3_600_000],
  ])('is looked for just as long when somebody sets the wall clock %s meanwhile', async (_, shift) => {
    const { clock, log } = start({
      ...failed(),
      meanwhile: () => clock.setWallClock(clock.now() + shift),
    });
    const before = clock.monotonic();
    expect((await failureOf(log())).code).toBe('not_written');
    expect(clock.monotonic() - before).toBe(50_000);
  });

  test('is not taken for missing by a copy that lags behind what was seen', async () => {
    const { service, log } = start(lost());
    service.copies.push(undefined, 99, 99);
    expect((await log()).outcome).toBe('confirmed_afterwards');
    expect(service.sent).toHaveLength(1);
  });

  test('is found although every copy lags behind it for twenty seconds', async () => {
    const { service, log } = start(lost());
    service.copies.push(undefined, 100, 100);
    expect((await log()).outcome).toBe('confirmed_afterwards');
  });

  test('has an unknown outcome where nothing but copies that lag behind can be read', async () => {
    const { service, log } = start({ ...lost(), meanwhile: () => void service.put({ id: 'other' }) });
    service.copies.push(undefined, ...Array<number>(25).fill(99));
    expect((await failureOf(log())).code).toBe('outcome_unknown');
  });
});

describe('a refusal', () => {
  const IMPORT = { ...COFFEE, import_id: 'i-1' };

  test('of an import that a first delivery has carried out is no refusal', async () => {
    const { service, log } = start({ ...lost('conflict') });
    const { outcome, data } = await log([IMPORT]);
    expect([outcome, data.transaction?.id]).toEqual(['confirmed_afterwards', service.entries[0]?.id]);
    expect(service.sent).toHaveLength(1);
  });

  test('of an import that was there before stands at once', async () => {
    const { service, clock, log } = start(failed('conflict'));
    service.put(IMPORT);
    const before = clock.monotonic();
    expect((await failureOf(log([IMPORT]))).code).toBe('conflict');
    expect(clock.monotonic()).toBe(before);
  });

  test('of an import that no copy shows yet is believed when all copies must show it', async () => {
    const { clock, log } = start(failed('conflict'));
    const before = clock.monotonic();
    expect((await failureOf(log([IMPORT]))).code).toBe('conflict');
    expect(clock.monotonic() - before).toBe(20_000);
  });

  test('of a deletion that a first delivery has carried out is no refusal', async () => {
    const { service, remove } = start(lost('resource_not_found'));
    const { id } = service.put(COFFEE);
    expect(await remove(id)).toMatchObject({
      outcome: 'confirmed_afterwards',
      data: { transaction: { id } },
    });
  });

  test('of a deletion is no refusal either where a copy that lags behind does not show it yet', async () => {
    const { service, remove } = start(lost('resource_not_found'));
    const { id } = service.put(COFFEE);
    service.copies.push(undefined, 101);
    expect((await remove(id)).outcome).toBe('confirmed_afterwards');
  });

  test('of a deletion stands at once where it was gone before', async () => {
    const { service, clock, remove } = start(failed('resource_not_found'));
    const { id } = service.put({ ...COFFEE, deleted: true });
    const before = clock.monotonic();
    expect((await failureOf(remove(id))).code).toBe('resource_not_found');
    expect(clock.monotonic()).toBe(before);
  });

  test('leaves the outcome unknown where nobody can look', async () => {
    const { service, log } = start(failed('conflict'));
    service.readFailures.push(undefined, ...Array<ErrorCode>(6).fill('too_many_requests'));
    expect((await failureOf(log([IMPORT]))).code).toBe('outcome_unknown');
  });
});

describe('an answer that nothing was left to do', () => {
  test('is not believed where the imports have come in since just before', async () => {
    const { service, log } = start({ ...answered, echo: true });
    const { outcome, data } = await log([
      { ...COFFEE, import_id: 'i-1' },
      { ...COFFEE, import_id: 'i-2' },
    ]);
    expect(outcome).toBe('confirmed_afterwards');
    expect(data.transaction_ids).toEqual(service.entries.map(({ id }) => id));
  });
});

describe('a deletion', () => {
  test('whose answer was lost is confirmed by the tombstone', async () => {
    const { service, remove } = start(lost());
    const { id } = service.put(COFFEE);
    const { outcome, data } = await remove(id);
    expect([outcome, data.transaction.id, service.sent.length]).toEqual(['confirmed_afterwards', id, 1]);
  });
});

describe('equal entries', () => {
  test('made at once are kept apart: each is sent after the one before has ended', async () => {
    const { service, log } = start(lost(), lost(), answered);
    const written = await Promise.all([log(), log(), log()]);
    const ids = written.map(({ data }) => data.transaction?.id);
    expect(new Set(ids).size).toBe(3);
    expect(ids).toEqual(service.entries.map(({ id }) => id));
    expect(written.flatMap(({ possibleDuplicates }) => possibleDuplicates)).toEqual([]);
  });

  test('do not vouch for each other: the first is not taken for the second, which was cut off', async () => {
    const { service, log } = start(answered, failed());
    await log();
    expect((await failureOf(log())).code).toBe('not_written');
    expect(service.entries).toHaveLength(1);
  });

  test('do not vouch for each other either where the copy before the second lags behind the first', async () => {
    const { service, clock, log } = start(answered, failed());
    await log();
    clock.advance(2_000);
    service.copies.push(100, 100);
    expect((await failureOf(log())).code).toBe('not_written');
    expect(service.entries).toHaveLength(1);
  });

  test('of which the answer tells no knowledge do not vouch for each other even so', async () => {
    const { service, clock, plan } = start(answered, failed());
    service.copies.push(undefined, 100, 100);
    await plan();
    clock.advance(2_000);
    expect((await failureOf(plan())).code).toBe('not_written');
    expect(service.entries).toHaveLength(1);
  });

  test('are not sent where every copy lags behind what was seen', async () => {
    const { service, clock, log } = start(answered);
    await log();
    clock.advance(2_000);
    service.copies.push(...Array<number>(5).fill(100));
    expect(await failureOf(log())).toMatchObject({
      code: 'not_written',
      message: expect.stringContaining('nothing was sent'),
    });
    expect(service.sent).toHaveLength(1);
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
    const told = [...((await log()).possibleDuplicates ?? []), ...((await plan()).possibleDuplicates ?? [])];
    expect(told).toEqual(twin);
    expect((await log()).possibleDuplicates).toEqual([]);
  });

  test('get no import_id, which would make an import of an entry', async () => {
    const { service, log } = start(lost());
    await log();
    for (const { transactions } of service.sent) expect(transactions).toEqual([COFFEE]);
  });
});

describe('the knowledge that a lost write is looked for from', () => {
  const sinceOf = ({ lookUps }: Started) => lookUps().at(-1)?.since;

  test('is what a read has told a moment ago, without another request', async () => {
    const started = start(lost());
    started.baselines.recordKnowledge('b')(100);
    await started.log();
    expect(started.service.reads.map(({ name }) => name)).toEqual(['list_transactions', 'get_budget']);
    expect(sinceOf(started)).toBe(100);
  });

  test('a lost write is looked for from a knowledge that was read a second ago', async () => {
    const started = start(lost());
    started.baselines.recordKnowledge('b')(99);
    started.clock.advance(1_000);
    await started.log();
    expect(started.service.reads[0]).toMatchObject({ name: 'list_transactions', since: 99 });
  });

  test('a knowledge that was read more than a second ago is read again, because another person may have created an equal entry', async () => {
    const started = start(lost());
    started.baselines.recordKnowledge('b')(99);
    started.clock.advance(1_001);
    await started.log();
    expect(started.service.reads[0]).toMatchObject({ name: 'list_accounts', since: 99 });
    expect(sinceOf(started)).toBe(100);
  });

  test('counts its age from when it was asked for, not from when it came', async () => {
    const started = start(lost());
    const learn = started.baselines.recordKnowledge('b');
    started.clock.advance(1_001);
    learn(99);
    await started.log();
    expect(sinceOf(started)).toBe(100);
  });

  test('never goes back', async () => {
    const started = start(lost());
    started.baselines.recordKnowledge('b')(100);
    started.baselines.recordKnowledge('b')(90);
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

  test.each<[string, (learn: () => (knowledge: number) => unknown) => Turn]>([
    [
      'was asked and answered while the write before was under way',
      (learn) => ({ ...answered, meanwhile: () => void learn()(100) }),
    ],
    ['was asked before the write before', () => answered],
  ])('is never that of a read that %s', async (_, turnOf) => {
    const learn = () => started.baselines.recordKnowledge('b');
    const started: Started = start(
      turnOf(() => learn()),
      failed(),
    );
    const early = learn();
    await started.plan();
    early(100);
    expect((await failureOf(started.plan())).code).toBe('not_written');
    expect(started.service.entries).toHaveLength(1);
    expect(sinceOf(started)).toBeGreaterThan(100);
  });

  test('may be lower once nothing newer has come for longer than a copy lags: then the service was set back', async () => {
    const { service, clock, log } = start();
    await log();
    clock.setWallClock(clock.now() + 3_600_000);
    service.copies.push(...Array<number>(5).fill(90));
    expect((await failureOf(log())).code).toBe('not_written');
    clock.advance(20_000);
    service.copies.push(90);
    expect((await log()).outcome).toBe('written');
  });

  test.each([
    ['forward', 3_600_000],
    ['back', -3_600_000],
  ])('a knowledge is read again after a second although the wall clock was set %s', async (_, shift) => {
    const started = start(lost());
    started.baselines.recordKnowledge('b')(100);
    started.clock.setWallClock(started.clock.now() + shift);
    started.clock.advance(1_001);
    await started.log();
    expect(started.service.reads[0]?.name).toBe('list_accounts');
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
    const second = failureOf(log([COFFEE], { signal: controller.signal }));
    controller.abort();
    await first;
    expect(await second).toMatchObject({
      code: 'cancelled',
      message: 'The call was cancelled before anything was sent.',
    });
    expect(service.sent).toHaveLength(1);
  });

  test('after it was sent does not stop it: it is seen through to its end', async () => {
    const controller = new AbortController();
    const { service, log } = start({ ...lost(), meanwhile: () => controller.abort() });
    expect((await log([COFFEE], { signal: controller.signal })).outcome).toBe('confirmed_afterwards');
    expect([service.sent.length, service.entries.length]).toEqual([1, 1]);
  });
});
