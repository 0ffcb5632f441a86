/** When a lost write is looked for, what counts as found, and what whoever waits for it is told meanwhile. */
import { describe, expect, test } from 'vitest';
import type { Attendance, LookAgain } from '../../src/client/exactly-once-writer.ts';
import type { ErrorCode } from '../../src/errors.ts';
import { createTransactions, updateTransaction } from '../../src/operations/transaction-writes.ts';
import { answered, failed, lost } from './scripted-service.ts';
import { COFFEE, start } from './scripted-writer.ts';
import { failureOf } from './sending.ts';

const seconds = (clock: { readonly slept: readonly number[] }) => clock.slept.map((each) => each / 1_000);

describe('A lost write is looked for', () => {
  test.each([
    ['at once', 0, [1, 4, 10, 15, 20]],
    ['after twenty seconds', 20, [1, 4, 5, 5, 15]],
    ['after forty seconds', 40, [1, 4, 5]],
    ['after sixty seconds', 60, [0]],
  ])(
    'until half a minute and the lag of a copy are over since it was sent: lost %s',
    async (_, after, waits) => {
      const { clock, log } = start({ ...failed(), meanwhile: () => clock.advance(after * 1_000) });
      expect((await failureOf(log())).code).toBe('not_written');
      expect(seconds(clock)).toEqual(waits);
    },
  );

  test('at once and for as long as a copy may lag, where it was refused as it would be the second time', async () => {
    const { clock, log, lookUps } = start(failed('conflict'));
    expect((await failureOf(log([{ ...COFFEE, import_id: 'i-1' }]))).code).toBe('conflict');
    expect(seconds(clock)).toEqual([1, 4, 10, 5]);
    expect(lookUps().length).toBeGreaterThanOrEqual(5);
  });

  test('among what others have created as well, but not among what we have created ourselves', async () => {
    const { service, clock, plan } = start(answered, lost());
    service.copies.push(undefined, 100);
    const first = await plan();
    clock.advance(2_000);
    service.copies.push(100);
    const second = await plan();
    expect(second.outcome).toBe('confirmed_afterwards');
    expect(second.data.scheduled_transaction.id).toBe(service.entries[1]?.id);
    expect(second.data.scheduled_transaction.id).not.toBe(first.data.scheduled_transaction.id);
  });

  test('among what we have created ourselves where it changes or deletes that', async () => {
    const { service, log, remove } = start(answered, lost());
    await log();
    const { id } = service.entries[0] ?? expect.unreachable();
    expect(await remove(id)).toMatchObject({
      outcome: 'confirmed_afterwards',
      data: { transaction: { id } },
    });
  });

  test('and is not carried out where what it was to change is not there any more', async () => {
    const { service, writer } = start({
      ...failed(),
      meanwhile: () => void service.put({ ...COFFEE, id: 't', deleted: true }),
    });
    service.put({ ...COFFEE, id: 't' });
    const input = { budget_id: 'b', transaction_id: 't', memo: 'New' };
    expect((await failureOf(writer.write(updateTransaction, input, 'b'))).code).toBe('not_written');
  });
});

describe('Whoever waits for a write is told', () => {
  /** What is told, in order, and how to look for the write again. */
  function attending() {
    const events: string[] = [];
    const told: { lookAgain?: LookAgain } = {};
    const attendance: Attendance = {
      onSent: (lookAgain) => {
        events.push('sent');
        told.lookAgain = lookAgain;
      },
      onLost: () => void events.push('lost'),
      onKnown: () => void events.push('known'),
    };
    return { events, told, attendance };
  }

  test('that it was sent, and that its outcome is known before what it has changed is read', async () => {
    const { service, log } = start();
    const { events, attendance } = attending();
    const readsWhenKnown: number[] = [];
    await log([COFFEE], {
      ...attendance,
      onKnown: () => {
        attendance.onKnown?.();
        readsWhenKnown.push(service.reads.length);
      },
    });
    expect(events).toEqual(['sent', 'known']);
    expect(service.reads.length).toBe((readsWhenKnown[0] ?? 0) + 1);
  });

  test('that it was lost, until it is known', async () => {
    const { log } = start(lost());
    const { events, attendance } = attending();
    await log([COFFEE], attendance);
    expect(events).toEqual(['sent', 'lost', 'known']);
  });

  test.each<ErrorCode>(['bad_request', 'too_many_requests'])(
    'nothing of a loss where it was refused: %s',
    async (code) => {
      for (const kind of ['log', 'plan'] as const) {
        const { log, plan } = start(failed(code));
        const { events, attendance } = attending();
        const written = kind === 'log' ? log([COFFEE], attendance) : plan(attendance);
        expect((await failureOf(written)).code).toBe(code);
        expect(events).toEqual(['sent', 'known']);
      }
    },
  );

  test('how to look for it again where its outcome could not be found out', async () => {
    const { service, log } = start(lost());
    const { told, attendance } = attending();
    service.readFailures.push(undefined, ...Array<ErrorCode>(5).fill('too_many_requests'));
    const failure = await failureOf(log([COFFEE], attendance));
    expect(failure.message).toBe(
      `${createTransactions.title}: It failed: connection_lost. Whether it was written could not be found out.`,
    );
    expect(failure.cause).toMatchObject({ code: 'too_many_requests' });
    expect(await told.lookAgain?.()).toMatchObject({ transaction_ids: [service.entries[0]?.id] });
  });

  test('why it was not written, by the title of the tool', async () => {
    const { log } = start(failed());
    const failure = await failureOf(log());
    expect(failure.message).toBe(`${createTransactions.title}: It failed: connection_lost.`);
    expect(failure.cause).toMatchObject({ code: 'connection_lost' });
  });

  test('what it has changed, as long as it still waits', async () => {
    const { service, log } = start();
    await log([COFFEE], { timeLeft: () => 1_200 });
    expect(service.reads.at(-1)).toMatchObject({ name: 'get_budget', timeoutMs: 1_200 });
  });
});

describe('A bug is thrown as it is, and nothing is looked for', () => {
  test('where the service port throws it', async () => {
    const bug = new TypeError('It is broken.');
    const { plan, lookUps } = start({
      ...answered,
      meanwhile: () => {
        throw bug;
      },
    });
    await expect(plan()).rejects.toBe(bug);
    expect(lookUps()).toEqual([]);
  });
});

describe('What the budget has before a write', () => {
  test.each<[ErrorCode, ErrorCode]>([
    ['timed_out', 'not_written'],
    ['not_authorized', 'not_authorized'],
  ])('is read first: where that ends in %s nothing is sent, which is %s', async (failure, code) => {
    for (const kind of ['log', 'remove'] as const) {
      const { service, log, remove } = start();
      const { id } = service.put(COFFEE);
      service.readFailures.push(failure);
      const error = await failureOf(kind === 'log' ? log() : remove(id));
      expect([error.code, service.sent]).toEqual([code, []]);
    }
  });

  test('is what a write has told, although what that one has changed could not be read', async () => {
    const { service, log } = start();
    service.readFailures.push(undefined, 'too_many_requests');
    await log();
    await log();
    expect(service.reads.map(({ name }) => name)).toEqual(['list_accounts', 'get_budget', 'get_budget']);
  });

  test('is asked for since the newest knowledge, where the write before told none', async () => {
    const { service, plan } = start();
    service.readFailures.push(undefined, 'too_many_requests');
    await plan();
    await plan();
    const [, , second] = service.reads;
    expect(second).toMatchObject({ name: 'list_accounts', since: 100 });
  });
});

describe('Possible duplicates', () => {
  test('are told of creations alone', async () => {
    const { service, remove } = start();
    expect(await remove(service.put(COFFEE).id)).not.toHaveProperty('possibleDuplicates');
  });

  test('are never what we have created ourselves', async () => {
    const { service, clock, plan } = start();
    service.copies.push(undefined, 100);
    await plan();
    clock.advance(2_000);
    service.copies.push(100);
    expect((await plan()).possibleDuplicates).toEqual([]);
    expect(service.entries).toHaveLength(2);
  });
});
