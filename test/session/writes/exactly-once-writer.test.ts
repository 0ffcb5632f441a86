import { describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../../src/base/errors.ts';
import { updateScheduledTransaction } from '../../../src/operations/scheduled-transactions.ts';
import { answered, failed, lost, type Turn } from '../scripted-service.helper.ts';
import { failureOf } from '../sending.helper.ts';
import { COFFEE, PLAN, type Started, start } from './scripted-writer.helper.ts';

describe('a write', () => {
  test('a write with a response is sent once and not searched for', async () => {
    const { service, log, searches } = start();
    const { outcome, data } = await log();
    expect(outcome).toBe('written');
    expect(data.transaction_ids).toEqual(service.entries.map(({ id }) => id));
    expect([service.sent.length, searches().length]).toEqual([1, 0]);
  });

  test.each<ErrorCode>(['bad_request', 'resource_not_found', 'too_many_requests', 'unreachable'])(
    'a write that is refused with %s is sent once, and the refusal is its result',
    async (code) => {
      const { service, log, searches } = start(failed(code));
      expect((await failureOf(log())).code).toBe(code);
      expect([service.sent.length, searches().length]).toEqual([1, 0]);
    },
  );

  test('a write that happened although its response was lost is confirmed with the state of the budget', async () => {
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
  ])(
    'a write that ended in %s and has not happened is not sent again, and its result is %s',
    async (failure, code) => {
      const { service, log } = start(failed(failure));
      expect((await failureOf(log())).code).toBe(code);
      expect([service.sent.length, service.entries.length]).toEqual([1, 0]);
    },
  );

  test('a write that cannot be searched for has an unknown outcome, and the error says what to do next', async () => {
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

  test('a write is found by a later search if the first ones fail', async () => {
    const { service, log } = start(lost());
    service.readFailures.push(undefined, 'too_many_requests', 'too_many_requests');
    expect((await log()).outcome).toBe('confirmed_afterwards');
  });

  test('a change of what is not there is refused, and not sent', async () => {
    const { service, write } = start();
    service.readFailures.push(undefined, 'resource_not_found');
    const change = write(updateScheduledTransaction, {
      budget_id: 'b',
      scheduled_transaction_id: 's',
      amount: -1,
    });
    expect((await failureOf(change)).code).toBe('resource_not_found');
    expect(service.sent).toEqual([]);
  });

  test('a write is not sent if its budget cannot be read before', async () => {
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
    'a lost write that is carried out after %i searches is found by the next one, %i ms after the loss',
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

  test('the search for a lost write ends only after the processing time of the service and the lag of its copies', async () => {
    const { clock, log } = start(failed('service_unavailable'));
    const before = clock.monotonic();
    expect((await failureOf(log())).code).toBe('not_written');
    expect(clock.monotonic() - before).toBe(50_000);
  });

  test('a write that waited for its token before it was sent is looked for that much longer', async () => {
    const { clock, log } = start({ ...failed(), before: () => clock.advance(9_000) });
    const before = clock.monotonic();
    expect((await failureOf(log())).code).toBe('not_written');
    expect(clock.monotonic() - before).toBe(59_000);
  });

  test.each([
    ['forward', 3_600_000],
    ['back', -3_600_000],
  ])('the search for a lost write takes as long if the wall clock is set %s during it', async (_, shift) => {
    const { clock, log } = start({
      ...failed(),
      meanwhile: () => clock.setWallClock(clock.now() + shift),
    });
    const before = clock.monotonic();
    expect((await failureOf(log())).code).toBe('not_written');
    expect(clock.monotonic() - before).toBe(50_000);
  });

  test('a copy that lags behind earlier responses does not prove that a lost write is missing', async () => {
    const { service, log } = start(lost());
    service.copies.push(undefined, 99, 99);
    expect((await log()).outcome).toBe('confirmed_afterwards');
    expect(service.sent).toHaveLength(1);
  });

  test('a lost write is found although every copy lags behind it for twenty seconds', async () => {
    const { service, log } = start(lost());
    service.copies.push(undefined, 100, 100);
    expect((await log()).outcome).toBe('confirmed_afterwards');
  });

  test('a lost write has an unknown outcome if only lagging copies can be read', async () => {
    const { service, log } = start({ ...lost(), meanwhile: () => void service.put({ id: 'other' }) });
    service.copies.push(undefined, ...Array<number>(25).fill(99));
    expect((await failureOf(log())).code).toBe('outcome_unknown');
  });
});

describe('a refusal', () => {
  const IMPORT = { ...COFFEE, import_id: 'i-1' };

  test('an import that is refused because the first delivery succeeded is reported as written', async () => {
    const { service, log } = start({ ...lost('conflict') });
    const { outcome, data } = await log([IMPORT]);
    expect([outcome, data.transaction?.id]).toEqual(['confirmed_afterwards', service.entries[0]?.id]);
    expect(service.sent).toHaveLength(1);
  });

  test('an import that existed before is refused at once', async () => {
    const { service, clock, log } = start(failed('conflict'));
    service.put(IMPORT);
    const before = clock.monotonic();
    expect((await failureOf(log([IMPORT]))).code).toBe('conflict');
    expect(clock.monotonic()).toBe(before);
  });

  test('the refusal of an import that no copy shows is believed when all copies must show it', async () => {
    const { clock, log } = start(failed('conflict'));
    const before = clock.monotonic();
    expect((await failureOf(log([IMPORT]))).code).toBe('conflict');
    expect(clock.monotonic() - before).toBe(20_000);
  });

  test('a deletion that is refused because the first delivery succeeded is reported as written', async () => {
    const { service, remove } = start(lost('resource_not_found'));
    const { id } = service.put(COFFEE);
    expect(await remove(id)).toMatchObject({
      outcome: 'confirmed_afterwards',
      data: { transaction: { id } },
    });
  });

  test('a deletion that is refused because the first delivery succeeded is reported as written if a lagging copy does not show it yet', async () => {
    const { service, remove } = start(lost('resource_not_found'));
    const { id } = service.put(COFFEE);
    service.copies.push(undefined, 101);
    expect((await remove(id)).outcome).toBe('confirmed_afterwards');
  });

  test('the deletion of an entity that did not exist before is refused at once', async () => {
    const { service, clock, remove } = start(failed('resource_not_found'));
    const { id } = service.put({ ...COFFEE, deleted: true });
    const before = clock.monotonic();
    expect((await failureOf(remove(id))).code).toBe('resource_not_found');
    expect(clock.monotonic()).toBe(before);
  });

  test('an import that is refused because the first delivery succeeded is found although a read fails', async () => {
    const { service, log } = start(lost('conflict'));
    service.readFailures.push(undefined, 'too_many_requests');
    expect((await log([IMPORT])).outcome).toBe('confirmed_afterwards');
  });

  test('a refused write has an unknown outcome if the budget cannot be read', async () => {
    const { service, log } = start(failed('conflict'));
    service.readFailures.push(undefined, ...Array<ErrorCode>(6).fill('too_many_requests'));
    expect((await failureOf(log([IMPORT]))).code).toBe('outcome_unknown');
  });
});

describe('a response that says that there was nothing to do', () => {
  test('a response without new imports is not believed if imports arrived since just before the write', async () => {
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
  test('a deletion is sent although the copy that was read before it does not show the entity yet', async () => {
    const { service, remove } = start();
    const { id } = service.put(COFFEE);
    service.copies.push(100);
    expect((await remove(id)).outcome).toBe('written');
    expect(service.sent).toHaveLength(1);
  });

  test('a deletion whose response was lost is confirmed by the deleted entity in a delta', async () => {
    const { service, remove } = start(lost());
    const { id } = service.put(COFFEE);
    const { outcome, data } = await remove(id);
    expect([outcome, data.transaction.id, service.sent.length]).toEqual(['confirmed_afterwards', id, 1]);
  });
});

describe('equal entries', () => {
  test('equal entries that are created at the same time are sent one after the other', async () => {
    const { service, log } = start(lost(), lost(), answered);
    const written = await Promise.all([log(), log(), log()]);
    const ids = written.map(({ data }) => data.transaction?.id);
    expect(new Set(ids).size).toBe(3);
    expect(ids).toEqual(service.entries.map(({ id }) => id));
    expect(written.flatMap(({ possibleDuplicates }) => possibleDuplicates)).toEqual([]);
  });

  test('an earlier equal entry is not mistaken for a write that was cut off', async () => {
    const { service, log } = start(answered, failed());
    await log();
    expect((await failureOf(log())).code).toBe('not_written');
    expect(service.entries).toHaveLength(1);
  });

  test('an earlier equal entry is not mistaken for a write if the copy read before the write lags', async () => {
    const { service, clock, log } = start(answered, failed());
    await log();
    clock.advance(2_000);
    service.copies.push(100, 100);
    expect((await failureOf(log())).code).toBe('not_written');
    expect(service.entries).toHaveLength(1);
  });

  test('an earlier equal entry is not mistaken for a write if responses have no knowledge', async () => {
    const { service, clock, plan } = start(answered, failed());
    service.copies.push(undefined, 100, 100);
    await plan();
    clock.advance(2_000);
    expect((await failureOf(plan())).code).toBe('not_written');
    expect(service.entries).toHaveLength(1);
  });

  test('equal entries are not sent if every copy lags behind earlier responses', async () => {
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

  test('equal entries of one request are found as many times as they were sent, or not at all', async () => {
    const { service, log } = start(lost());
    const { data } = await log([COFFEE, COFFEE]);
    expect(data.transaction_ids).toEqual(service.entries.map(({ id }) => id));
  });

  test('an equal entry is written after one that failed', async () => {
    const { log } = start(failed('bad_request'));
    const [first, second] = await Promise.allSettled([log(), log()]);
    expect([first.status, second.status]).toEqual(['rejected', 'fulfilled']);
  });

  test('equal entries that appear beside a write are reported as possible duplicates', async () => {
    const { service, log, plan } = start(
      { ...answered, meanwhile: () => void duplicates.push(service.put(COFFEE).id) },
      { ...answered, meanwhile: () => void duplicates.push(service.put(planned).id) },
      { ...answered, meanwhile: () => void service.put({ ...COFFEE, amount: -4_501 }) },
    );
    const planned = { ...PLAN, date_first: PLAN.date, date_next: PLAN.date };
    const duplicates: string[] = [];
    const reported = [
      ...((await log()).possibleDuplicates ?? []),
      ...((await plan()).possibleDuplicates ?? []),
    ];
    expect(reported).toEqual(duplicates);
    expect((await log()).possibleDuplicates).toEqual([]);
  });

  test('a possible duplicate that was reported is not mistaken for a later write when it is changed', async () => {
    const put = () => void service.put(other);
    const { service, log } = start({ ...answered, meanwhile: put }, { ...failed(), meanwhile: put });
    const other = { ...COFFEE, id: 'other' };
    expect((await log()).possibleDuplicates).toEqual(['other']);
    expect((await failureOf(log())).code).toBe('not_written');
  });

  test('a created entry gets no import_id, which would make it an import', async () => {
    const { service, log } = start(lost());
    await log();
    for (const { transactions } of service.sent) expect(transactions).toEqual([COFFEE]);
  });
});

describe('the baseline of the search for a lost write', () => {
  const sinceOf = ({ searches }: Started) => searches().at(-1)?.since;

  test('the baseline is the knowledge of a recent read, without another request', async () => {
    const started = start(lost());
    started.watermarks.beginRequest('b')(100);
    await started.log();
    expect(started.service.reads.map(({ name }) => name)).toEqual(['list_transactions', 'get_budget']);
    expect(sinceOf(started)).toBe(100);
  });

  test('a lost write is looked for from a knowledge that was read a second ago', async () => {
    const started = start(lost());
    started.watermarks.beginRequest('b')(99);
    started.clock.advance(1_000);
    await started.log();
    expect(started.service.reads[0]).toMatchObject({ name: 'list_transactions', since: 99 });
  });

  test('a knowledge that was read more than a second ago is read again, because another person may have created an equal entry', async () => {
    const started = start(lost());
    started.watermarks.beginRequest('b')(99);
    started.clock.advance(1_001);
    await started.log();
    expect(started.service.reads[0]).toMatchObject({ name: 'list_accounts', since: 99 });
    expect(sinceOf(started)).toBe(100);
  });

  test('the age of a baseline counts from the request, not from the response', async () => {
    const started = start(lost());
    const learn = started.watermarks.beginRequest('b');
    started.clock.advance(1_001);
    learn(99);
    await started.log();
    expect(sinceOf(started)).toBe(100);
  });

  test('the baseline never becomes lower', async () => {
    const started = start(lost());
    started.watermarks.beginRequest('b')(100);
    started.watermarks.beginRequest('b')(90);
    await started.log();
    expect(sinceOf(started)).toBe(100);
  });

  test('the baseline is the knowledge of the response to the write before', async () => {
    const started = start(answered, lost());
    await started.log();
    const { knowledge } = started.service;
    await started.log();
    expect(sinceOf(started)).toBe(knowledge);
  });

  test.each<[string, (learn: () => (knowledge: number) => unknown) => Turn]>([
    [
      'began and ended during the write before',
      (learn) => ({ ...answered, meanwhile: () => void learn()(100) }),
    ],
    ['began before the write before', () => answered],
  ])('the baseline is never the knowledge of a read that %s', async (_, turnOf) => {
    const learn = () => started.watermarks.beginRequest('b');
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

  test('the baseline becomes lower after a reset of the service, when all responses are lower for longer than a copy lags', async () => {
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
    started.watermarks.beginRequest('b')(100);
    started.clock.setWallClock(started.clock.now() + shift);
    started.clock.advance(1_001);
    await started.log();
    expect(started.service.reads[0]?.name).toBe('list_accounts');
  });

  test('the search includes entries of any age, although newer services return only those of the last year by default', async () => {
    const started = start(lost());
    await started.log();
    expect(started.searches()[0]?.input).toEqual({ budget_id: 'b', since_date: '1970-01-01' });
  });
});

describe('a caller that cancels', () => {
  test('a write that is cancelled before its turn is not sent', async () => {
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

  test('a write that is cancelled after it was sent is followed to its end', async () => {
    const controller = new AbortController();
    const { service, log } = start({ ...lost(), meanwhile: () => controller.abort() });
    expect((await log([COFFEE], { signal: controller.signal })).outcome).toBe('confirmed_afterwards');
    expect([service.sent.length, service.entries.length]).toEqual([1, 1]);
  });
});
