/** When a lost write is looked for, what counts as found, and what its caller learns meanwhile. */

import { describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../../src/base/errors.ts';
import { updateCategory, updateMonthCategory } from '../../../src/operations/categories.ts';
import {
  createScheduledTransaction,
  deleteScheduledTransaction,
} from '../../../src/operations/scheduled-transactions.ts';
import {
  createTransactions,
  deleteTransaction,
  importTransactions,
  updateTransaction,
  updateTransactions,
} from '../../../src/operations/transaction-writes.ts';
import { updateTransaction as changeInLedger } from '../../../src/service/ledger/transactions.ts';
import { callOperation } from '../../call-operation.helper.ts';
import { BEHIND, DROPPED, NO_FAULT, TWICE, UNANSWERED } from '../../faulty-proxy.helper.ts';
import { answered, failed, lost } from '../scripted-service.helper.ts';
import { failureOf } from '../sending.helper.ts';
import { startWriting } from '../writing-client.helper.ts';
import { COFFEE, start } from './scripted-writer.helper.ts';

const secondsSlept = (clock: { readonly slept: readonly number[] }) =>
  clock.slept.map((milliseconds) => milliseconds / 1_000);

describe('the search for a lost write', () => {
  test.each([
    ['at once', 0, [1, 4, 10, 15, 20]],
    ['after twenty seconds', 20, [1, 4, 5, 5, 15]],
    ['after thirty-five seconds', 35, [1, 4, 10]],
    ['after forty seconds', 40, [1, 4, 5]],
    ['after sixty seconds', 60, [0]],
  ])(
    'the search continues until 30 s and the lag of a copy have passed since the write was sent, if it was lost %s',
    async (_, after, waits) => {
      const { clock, log } = start({ ...failed(), meanwhile: () => clock.advance(after * 1_000) });
      expect((await failureOf(log())).code).toBe('not_written');
      expect(secondsSlept(clock)).toEqual(waits);
    },
  );

  test('a write with an error that a repetition would have is looked for at once, and for as long as a copy can lag', async () => {
    const { clock, log, searches } = start(failed('conflict'));
    expect((await failureOf(log([{ ...COFFEE, import_id: 'i-1' }]))).code).toBe('conflict');
    expect(secondsSlept(clock)).toEqual([1, 4, 10, 5]);
    expect(searches().length).toBeGreaterThanOrEqual(5);
  });

  test('a lost creation is not looked for among the entities that this process created', async () => {
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

  test('a lost change or deletion is looked for among the entities that this process created', async () => {
    const { service, log, remove } = start(answered, lost());
    await log();
    const { id } = service.entries[0] ?? expect.unreachable();
    expect(await remove(id)).toMatchObject({
      outcome: 'confirmed_afterwards',
      data: { transaction: { id } },
    });
  });

  test('a lost update of a transaction that was deleted meanwhile counts as not written', async () => {
    const { service, write } = start({
      ...failed(),
      meanwhile: () => void service.put({ ...COFFEE, id: 't', deleted: true }),
    });
    service.put({ ...COFFEE, id: 't' });
    const input = { budget_id: 'b', transaction_id: 't', memo: 'New' };
    expect((await failureOf(write(updateTransaction, input))).code).toBe('not_written');
  });
});

describe('a service that was reset', () => {
  test('a budget that was restored from before the write does not prove that the write was not carried out', async () => {
    const { service, clock, log, searches } = start({ ...lost(), meanwhile: () => clock.advance(20_001) });
    service.copies.push(undefined, ...Array<number>(9).fill(99));
    const failure = await failureOf(log());
    expect(failure.code).toBe('outcome_unknown');
    expect(failure.cause).toMatchObject({
      code: 'service_unavailable',
      message: expect.stringContaining('a state of the budget from before the write'),
    });
    expect(searches().length).toBeGreaterThan(1);
  });
});

describe('the states of a write', () => {
  function recordStates() {
    const states: string[] = [];
    return { states, onState: (state: string) => void states.push(state) };
  }

  test('a write is sent and then answered, before the changes are read', async () => {
    const { service, log, state } = start();
    const { states, onState } = recordStates();
    const statesOfReads: unknown[] = [];
    const read = service.read.bind(service);
    const recorded: typeof read = (...request) => {
      statesOfReads.push(state());
      return read(...request);
    };
    Object.assign(service, { read: recorded });
    await log([COFFEE], { onState });
    expect(states).toEqual(['sent', 'answered']);
    expect(statesOfReads).toEqual(['planned', 'answered']);
  });

  test('a write whose answer is lost is sent, lost and then answered', async () => {
    const { log } = start(lost());
    const { states, onState } = recordStates();
    await log([COFFEE], { onState });
    expect(states).toEqual(['sent', 'lost', 'answered']);
  });

  test.each<ErrorCode>(['bad_request', 'too_many_requests'])(
    'a write that was refused with %s was never lost',
    async (code) => {
      for (const kind of ['log', 'plan'] as const) {
        const { log, plan } = start(failed(code));
        const { states, onState } = recordStates();
        const written = kind === 'log' ? log([COFFEE], { onState }) : plan({ onState });
        expect((await failureOf(written)).code).toBe(code);
        expect(states).toEqual(['sent']);
      }
    },
  );

  test('a write whose outcome is unknown can be looked for again', async () => {
    const { service, log, searchAgain } = start(lost());
    service.readFailures.push(undefined, ...Array<ErrorCode>(5).fill('too_many_requests'));
    const failure = await failureOf(log());
    expect(failure.message).toBe(
      `${createTransactions.title}: It failed: connection_lost. It could not be found out whether it was written.`,
    );
    expect(failure.cause).toMatchObject({ code: 'too_many_requests' });
    expect(await searchAgain()).toMatchObject({ transaction_ids: [service.entries[0]?.id] });
  });

  test('the error of a write that was not carried out has the title of the tool and the cause', async () => {
    const { log } = start(failed());
    const failure = await failureOf(log());
    expect(failure.message).toBe(`${createTransactions.title}: It failed: connection_lost.`);
    expect(failure.cause).toMatchObject({ code: 'connection_lost' });
  });

  test('the read of the changes takes no longer than the caller waits', async () => {
    const { service, log } = start();
    await log([COFFEE], { remainingMs: 1_200 });
    expect(service.reads.at(-1)).toMatchObject({ name: 'get_budget', timeoutMs: 1_200 });
  });
});

describe('bugs', () => {
  test('a bug in the service port is thrown, and the write is not looked for', async () => {
    const bug = new TypeError('It is broken.');
    const { plan, searches } = start({
      ...answered,
      meanwhile: () => {
        throw bug;
      },
    });
    await expect(plan()).rejects.toBe(bug);
    expect(searches()).toEqual([]);
  });

  test.each<[string, ErrorCode]>([
    ['whose response was lost', 'connection_lost'],
    ['that was refused as a repetition', 'conflict'],
  ])('a bug in the search for a write %s is thrown, and the search ends', async (_, failure) => {
    const bug = new TypeError('It is broken.');
    const { service, log, searches } = start(failed(failure));
    service.readFailures.push(undefined, bug);
    await expect(log([{ ...COFFEE, import_id: 'i-1' }])).rejects.toBe(bug);
    expect(searches()).toHaveLength(1);
  });
});

describe('the read before a write', () => {
  test.each<[ErrorCode, ErrorCode]>([
    ['timed_out', 'not_written'],
    ['not_authorized', 'not_authorized'],
  ])(
    'when the read before a write fails with %s, nothing is sent and the error is %s',
    async (failure, code) => {
      for (const kind of ['log', 'remove'] as const) {
        const { service, log, remove } = start();
        const { id } = service.put(COFFEE);
        service.readFailures.push(failure);
        const error = await failureOf(kind === 'log' ? log() : remove(id));
        expect([error.code, service.sent]).toEqual([code, []]);
      }
    },
  );

  test('the knowledge of a write replaces the read before the next one, also when the changes could not be read', async () => {
    const { service, log } = start();
    service.readFailures.push(undefined, 'too_many_requests');
    await log();
    await log();
    expect(service.reads.map(({ name }) => name)).toEqual(['list_accounts', 'get_budget', 'get_budget']);
  });

  test('after a write without knowledge, the read before the next write asks for the changes since the newest knowledge', async () => {
    const { service, plan } = start();
    service.readFailures.push(undefined, 'too_many_requests');
    await plan();
    await plan();
    const [, , second] = service.reads;
    expect(second).toMatchObject({ name: 'list_accounts', since: 100 });
  });
});

describe('possible duplicates of a write', () => {
  test('a deletion has no possible duplicates', async () => {
    const { service, remove } = start();
    expect(await remove(service.put(COFFEE).id)).not.toHaveProperty('possibleDuplicates');
  });

  test('entities that this process created are not possible duplicates', async () => {
    const { service, clock, plan } = start();
    service.copies.push(undefined, 100);
    await plan();
    clock.advance(2_000);
    service.copies.push(100);
    expect((await plan()).possibleDuplicates).toEqual([]);
    expect(service.entries).toHaveLength(2);
  });
});

describe('an import from the banks', () => {
  test('an import from the banks whose response was lost returns exactly the new rows', async () => {
    const { client, faults, ledger, passing, sent, coffee } = await startWriting();
    const transactions = [{ ...coffee, amount: -4_511, import_id: 'i-1' }];
    const { data: earlier } = await passing(callOperation(client, createTransactions, { transactions }));
    const [imported = ''] = earlier.transaction_ids;
    const ids = new Set(ledger.transactions(undefined).map(({ id }) => id));
    faults.writes.push(UNANSWERED);
    const call = callOperation(client, importTransactions, {});
    await untilSent(sent, 2);
    // Another person changes a row that was imported long ago.
    ledger.commit((books) => changeInLedger(books, imported, { memo: 'Changed' }));
    const { data, outcome } = await passing(call);
    const came = ledger.transactions(undefined).filter(({ id, import_id }) => import_id && !ids.has(id));
    expect(outcome).toBe('confirmed_afterwards');
    expect(came.length).toBeGreaterThan(0);
    expect(data.transaction_ids).toEqual(expect.arrayContaining(came.map(({ id }) => id)));
    expect(data.transaction_ids).not.toContain(imported);
  });

  test('an import from the banks that is delivered twice does not return the empty result of the second delivery', async () => {
    const { client, faults, passing } = await startWriting();
    faults.writes.push(TWICE);
    const { data, outcome } = await passing(callOperation(client, importTransactions, {}));
    expect([outcome, data.transaction_ids.length > 0]).toEqual(['confirmed_afterwards', true]);
  });

  test('an import from the banks that finds nothing returns an empty result', async () => {
    const { client, passing } = await startWriting();
    await passing(callOperation(client, importTransactions, {}));
    const { data, outcome } = await passing(callOperation(client, importTransactions, {}));
    expect([outcome, data.transaction_ids]).toEqual(['written', []]);
  });
});

describe('a write that is delivered twice and refused the second time', () => {
  test.each([
    ['with copies that show it at once', []],
    ['with copies that lag', [NO_FAULT, BEHIND, BEHIND]],
  ])('a deletion that is delivered twice succeeds, %s', async (_, reads) => {
    const { client, faults, passing, ledger } = await startWriting();
    const { id: transaction_id } = ledger.transactions(undefined).at(-1) ?? expect.unreachable();
    faults.writes.push(TWICE);
    faults.reads.push(...reads);
    const { outcome, data } = await passing(callOperation(client, deleteTransaction, { transaction_id }));
    expect([outcome, data.transaction.id, data.transaction.deleted]).toEqual([
      'confirmed_afterwards',
      transaction_id,
      true,
    ]);
  });

  test('the deletion of a scheduled transaction that is delivered twice succeeds', async () => {
    const { client, faults, passing, ledger } = await startWriting();
    const { id } = ledger.scheduledTransactions(undefined).at(-1) ?? expect.unreachable();
    faults.writes.push(TWICE);
    const call = callOperation(client, deleteScheduledTransaction, { scheduled_transaction_id: id });
    expect((await passing(call)).outcome).toBe('confirmed_afterwards');
  });

  test.each([
    ['with copies that show it at once', []],
    ['with copies that lag', [NO_FAULT, BEHIND, BEHIND, BEHIND]],
  ])('an import that is delivered twice succeeds, %s', async (_, reads) => {
    const { client, faults, passing, coffee, coffees } = await startWriting();
    faults.writes.push(TWICE);
    faults.reads.push(...reads);
    const transactions = [{ ...coffee, amount: -4_511, import_id: 'i-1' }];
    const { outcome, data } = await passing(callOperation(client, createTransactions, { transactions }));
    expect([outcome, data.transaction?.import_id]).toEqual(['confirmed_afterwards', 'i-1']);
    expect(coffees()).toBe(0);
  });

  test('several imports that are delivered twice succeed, although the service calls all of them duplicates', async () => {
    const { client, faults, passing, coffee } = await startWriting();
    faults.writes.push(TWICE);
    const transactions = ['i-1', 'i-2'].map((import_id) => ({ ...coffee, amount: -4_511, import_id }));
    const { outcome, data } = await passing(callOperation(client, createTransactions, { transactions }));
    expect([outcome, data.transaction_ids.length]).toEqual(['confirmed_afterwards', 2]);
  });
});

/** Lists of newer services begin one year ago where the request does not say otherwise. */
describe('a lost write of an entry from more than a year ago', () => {
  async function startOld() {
    const writing = await startWriting();
    const { client, coffee, passing, pass } = writing;
    const old = { ...coffee, date: '2024-01-05', amount: -4_511, import_id: 'i-1' };
    const create = () => passing(callOperation(client, createTransactions, { transactions: [old] }));
    /** Its id, when the next write does not compare with it any more. */
    const created = async () => {
      const { data } = await create();
      await pass(5_000);
      return data.transaction?.id ?? expect.unreachable();
    };
    return { ...writing, create, created };
  }

  test('a creation is found', async () => {
    const { create, faults, sent } = await startOld();
    faults.writes.push(UNANSWERED);
    expect((await create()).outcome).toBe('confirmed_afterwards');
    expect(sent()).toBe(1);
  });

  test('an update is found', async () => {
    const { client, created, faults, passing } = await startOld();
    const transaction_id = await created();
    faults.writes.push(UNANSWERED);
    const { outcome, data } = await passing(
      callOperation(client, updateTransaction, { transaction_id, memo: 'New' }),
    );
    expect([outcome, data.transaction.memo]).toEqual(['confirmed_afterwards', 'New']);
  });

  test('a deletion is found', async () => {
    const { client, created, faults, passing } = await startOld();
    const transaction_id = await created();
    faults.writes.push(UNANSWERED);
    expect((await passing(callOperation(client, deleteTransaction, { transaction_id }))).outcome).toBe(
      'confirmed_afterwards',
    );
  });

  test('an import id of such an entry is refused at once', async () => {
    const { create, created, clock } = await startOld();
    await created();
    const before = clock.monotonic();
    expect((await failureOf(create())).code).toBe('conflict');
    expect(clock.monotonic()).toBe(before);
  });
});

describe('a refusal that applied before the write', () => {
  test('the deletion of something that was already deleted is refused at once', async () => {
    const { client, passing, ledger, clock, pass } = await startWriting();
    const { id: transaction_id } = ledger.transactions(undefined).at(-1) ?? expect.unreachable();
    await passing(callOperation(client, deleteTransaction, { transaction_id }));
    await pass(5_000);
    const before = clock.monotonic();
    expect(
      (await failureOf(passing(callOperation(client, deleteTransaction, { transaction_id })))).code,
    ).toBe('resource_not_found');
    expect(clock.monotonic()).toBe(before);
  });

  test('an import id that the account already has is refused at once', async () => {
    const { client, passing, coffee, clock, pass } = await startWriting();
    const transactions = [{ ...coffee, amount: -4_511, import_id: 'i-1' }];
    await passing(callOperation(client, createTransactions, { transactions }));
    await pass(5_000);
    const before = clock.monotonic();
    expect((await failureOf(passing(callOperation(client, createTransactions, { transactions })))).code).toBe(
      'conflict',
    );
    expect(clock.monotonic()).toBe(before);
  });
});

describe('with lagging copies', () => {
  test('the first of two equal entries is not mistaken for the second, which did not arrive', async () => {
    const { log, faults, pass, coffees } = await startWriting();
    await log();
    await pass(2_000);
    faults.writes.push(DROPPED);
    faults.reads.push(BEHIND);
    expect((await failureOf(log())).code).toBe('outcome_unknown');
    await pass(60_000);
    // An equal call would return an earlier outcome if the write was mistaken for done.
    expect((await log()).earlier_call).toBeUndefined();
    expect(coffees()).toBe(2);
  });

  test('the first of two equal scheduled transactions is not mistaken for the second, although responses have no knowledge', async () => {
    const { client, faults, passing, pass, coffee, ledger } = await startWriting();
    const { account_id, amount } = coffee;
    const plan = () =>
      passing(callOperation(client, createScheduledTransaction, { account_id, amount, date: '2026-12-24' }));
    const before = ledger.scheduledTransactions(undefined).length;
    faults.reads.push(NO_FAULT, BEHIND);
    await plan();
    await pass(2_000);
    faults.writes.push(DROPPED);
    faults.reads.push(BEHIND);
    expect((await failureOf(plan())).code).toBe('outcome_unknown');
    await pass(60_000);
    expect((await plan()).earlier_call).toBeUndefined();
    expect(ledger.scheduledTransactions(undefined)).toHaveLength(before + 2);
  });

  test('nothing is sent if every response is older than an earlier one', async () => {
    const { log, faults, pass, sent } = await startWriting();
    await log();
    await pass(2_000);
    faults.reads.push(...Array.from({ length: 5 }, () => BEHIND));
    const failure = await failureOf(log());
    expect([failure.code, sent()]).toEqual(['not_written', 1]);
    expect(failure.message).toContain('nothing was sent');
  });

  test('a write is found although the copies do not show it for twenty seconds', async () => {
    const { log, faults, pass, sent } = await startWriting();
    faults.writes.push(UNANSWERED);
    faults.reads.push(NO_FAULT, ...Array.from({ length: 3 }, () => BEHIND));
    expect((await failureOf(log())).code).toBe('outcome_unknown');
    await pass(60_000);
    expect((await log()).earlier_call).toBeDefined();
    expect(sent()).toBe(1);
  });
});

/** An update whose response is lost, or that does not arrive while another person changes the same entry. */
describe('an update of which the service ignores a part', () => {
  async function entries() {
    const started = await startWriting();
    const { ledger, client, passing, faults } = started;
    const accountNamed = (wanted: string) =>
      ledger.accounts().find(({ name }) => name === wanted) ?? expect.unreachable();
    const groups = ledger.categoryGroups();
    const categoryIn = (group: string, at = 0) =>
      groups.find(({ name }) => name === group)?.categories[at]?.id ?? expect.unreachable();
    const groceries = groups
      .flatMap(({ categories }) => categories)
      .find(({ name }) => name === 'Groceries')?.id;
    const make = async (row: object) => {
      const transactions = [{ ...started.coffee, payee_name: undefined, ...row }];
      const { data } = await passing(callOperation(client, createTransactions, { transactions }));
      return data.transaction ?? expect.unreachable();
    };
    const change = (id: string, fields: object) =>
      passing(callOperation(client, updateTransaction, { transaction_id: id, ...fields }));
    const touch = (id: string) => ledger.commit((books) => changeInLedger(books, id, { flag_color: 'red' }));
    const transfer = () => make({ payee_id: accountNamed('Savings').transfer_payee_id });
    const otherSideOfLeg = async () => {
      const legs = [
        { amount: -4_000, payee_id: accountNamed('Savings').transfer_payee_id },
        { amount: -500 },
      ];
      const { subtransactions } = await make({ subtransactions: legs });
      return subtransactions[0]?.transfer_transaction_id ?? expect.unreachable();
    };
    return {
      ...started,
      faults,
      make,
      change,
      touch,
      transfer,
      otherSideOfLeg,
      groceries,
      categoryIn,
      accountNamed,
    };
  }

  test.each<[string, (started: Awaited<ReturnType<typeof entries>>) => Promise<[string, object]>]>([
    [
      'the category of a transfer',
      async ({ transfer, groceries }) => [(await transfer()).id, { category_id: groceries, memo: 'New' }],
    ],
    [
      'the category of a credit card',
      async ({ make, groceries, categoryIn }) => [
        (await make({ category_id: groceries })).id,
        { category_id: categoryIn('Credit Card Payments'), memo: 'New' },
      ],
    ],
    [
      'the category of an entry on a tracking account',
      async ({ make, groceries, accountNamed }) => [
        (await make({ account_id: accountNamed('Pension Fund').id })).id,
        { category_id: groceries, memo: 'New' },
      ],
    ],
    [
      'the fields that the other side of a leg takes from its split',
      async ({ otherSideOfLeg }) => [
        await otherSideOfLeg(),
        { amount: 12_000, date: '2026-11-01', memo: 'New' },
      ],
    ],
  ])('an update whose response was lost is unknown if the service ignored %s', async (_, of) => {
    const started = await entries();
    const [id, fields] = await of(started);
    started.faults.writes.push(UNANSWERED);
    expect((await failureOf(started.change(id, fields))).code).toBe('outcome_unknown');
    await started.pass(60_000);
    expect((await started.client.status()).writes).toMatchObject([{ state: 'unknown' }]);
    expect((await failureOf(started.change(id, fields))).code).toBe('outcome_unknown');
    expect(started.sent()).toBe(2);
  });

  test('an update whose response was lost is recognised by what a split does not keep', async () => {
    const { make, change, accountNamed, faults, sent } = await entries();
    const { id } = await make({ subtransactions: [{ amount: -4_000 }, { amount: -500 }] });
    const fields = { payee_id: accountNamed('Savings').transfer_payee_id, memo: 'New' };
    faults.writes.push(UNANSWERED);
    expect((await change(id, fields)).outcome).toBe('confirmed_afterwards');
    expect(sent()).toBe(2);
  });

  test.each<[string, string, (started: Awaited<ReturnType<typeof entries>>) => Promise<[string, object]>]>([
    [
      'an update of only a field that the service ignores',
      'not_written',
      async ({ transfer, groceries }) => [(await transfer()).id, { category_id: groceries }],
    ],
    [
      'an update with a category that the service would have stored, of which the rest is there already',
      'unknown',
      async ({ make, groceries }) => [
        (await make({ memo: 'New' })).id,
        { category_id: groceries, memo: 'New' },
      ],
    ],
    [
      'an update with an amount that the service would have stored',
      'not_written',
      async ({ transfer }) => [(await transfer()).id, { amount: -4_999 }],
    ],
  ])(
    'an update that did not arrive is not reported as written if another person changed the entry: %s',
    async (_, state, of) => {
      const started = await entries();
      const [id, fields] = await of(started);
      await started.pass(2_000);
      started.faults.writes.push(DROPPED);
      const call = started.change(id, fields);
      await Promise.race([call, untilSent(started.sent, 2)]).catch(() => {});
      started.touch(id);
      expect((await failureOf(call)).code).toBe('outcome_unknown');
      await started.pass(60_000);
      expect((await started.client.status()).writes).toMatchObject([{ state }]);
    },
  );

  test('an update of several entries, of which the service ignores a part, is unknown', async () => {
    const { client, passing, pass, faults, transfer, make, groceries } = await entries();
    const [one, two] = [await transfer(), await make({})];
    faults.writes.push(UNANSWERED);
    const transactions = [one, two].map(({ id }) => ({ id, category_id: groceries, memo: 'New' }));
    const call = passing(callOperation(client, updateTransactions, { transactions }));
    expect((await failureOf(call)).code).toBe('outcome_unknown');
    await pass(60_000);
    expect((await client.status()).writes).toMatchObject([{ state: 'unknown' }]);
  });

  test('an update of several entries is unknown if somebody else has changed one of them since', async () => {
    const { client, ledger, passing, pass, faults, make } = await entries();
    const [one, two] = [await make({}), await make({})];
    faults.writes.push(UNANSWERED);
    const transactions = [one, two].map(({ id }) => ({ id, memo: 'New' }));
    const before = ledger.knowledge;
    const call = client && passing(callOperation(client, updateTransactions, { transactions }));
    while (ledger.knowledge === before) await pass(0);
    ledger.commit((books) => changeInLedger(books, one.id, { memo: 'By hand' }));
    expect((await failureOf(call)).code).toBe('outcome_unknown');
    await pass(60_000);
    expect((await client.status()).writes).toMatchObject([{ state: 'unknown' }]);
  });

  test('an update of a category of which an older service keeps the target is unknown', async () => {
    const { client, passing, pass, faults, ledger } = await startWriting({}, { version: '1.85' });
    const category = ledger
      .categoryGroups()
      .flatMap(({ categories }) => categories)
      .find(({ goal_target }) => goal_target !== null);
    faults.writes.push(UNANSWERED);
    const fields = { category_id: category?.id ?? '', goal_target: null, note: 'New' };
    const call = passing(callOperation(client, updateCategory, fields));
    expect((await failureOf(call)).code).toBe('outcome_unknown');
    await pass(60_000);
    expect((await client.status()).writes).toMatchObject([{ state: 'unknown' }]);
  });
});

describe('the amount budgeted for a month', () => {
  test.each(['2026-11-01', '2026-10-01', '2027-04-01'])(
    'the amount budgeted for a month is found although the response was lost: %s',
    async (month) => {
      const { client, passing, faults, ledger } = await startWriting();
      const category_id =
        ledger
          .categoryGroups()
          .flatMap(({ categories }) => categories)
          .find(({ name }) => name === 'Groceries')?.id ?? '';
      faults.writes.push(UNANSWERED);
      const { outcome, data } = await passing(
        callOperation(client, updateMonthCategory, { month, category_id, budgeted: 321_000 }),
      );
      expect([outcome, data.category.budgeted]).toEqual(['confirmed_afterwards', 321_000]);
    },
  );
});

async function untilSent(sent: () => number, count: number): Promise<void> {
  while (sent() < count) await new Promise((go) => setImmediate(go));
}
