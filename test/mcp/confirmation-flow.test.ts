import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { confirmPolicies } from '../../src/operations/consent.ts';
import { setBudgeted } from '../../src/service/ledger/categories.ts';
import { createPayee } from '../../src/service/ledger/payees.ts';
import type { Person } from '../hosts.helper.ts';
import { type Result, reply, startWithConfirmation } from './asking.helper.ts';

const TEN_MINUTES = 600_000;
/** A reply after this time can come from a person. */
const HUMAN_REPLY_MS = 300;

const NEXT_STEP = 'If the user agrees in the chat, call again .* confirm: true.*--confirm none';
const FAILED = new RegExp(
  `^This call changed nothing\\. The host could not ask: it answered the question with an error\\.\nDelete transaction.*${NEXT_STEP}`,
  's',
);
const CANCELLED_AT_ONCE = new RegExp(
  `^This call changed nothing\\. The host could not ask: it answered "cancel" at once, .*\nDelete transaction.*${NEXT_STEP}`,
  's',
);

const isQuestion = ({ requestState }: Result) => requestState !== undefined;

/** Starts with an entry that the tests try to delete. */
async function startWithEntry() {
  const started = await startWithConfirmation();
  const transaction_id = started.enter('worth a cent');
  return { ...started, transaction_id, args: { transaction_id } };
}

describe('a host of the newer era', () => {
  it('an accept to a question that was not asked deletes nothing', async () => {
    const { modern, exists, transaction_id, args } = await startWithEntry();
    const call = await modern();
    expect(isQuestion(await call('delete_transaction', args, reply('accept')))).toBe(true);
    expect(isQuestion(await call('delete_transaction', args, reply('accept', 'v1.e30.AAAA')))).toBe(true);
    expect(exists(transaction_id)).toBe(true);
  });

  it('an accept to the question about one entry does not delete another entry', async () => {
    const { modern, exists, enter, transaction_id, args } = await startWithEntry();
    const call = await modern();
    const other = enter('the rent', -5_000_000);
    const { requestState } = await call('delete_transaction', args);
    const result = await call('delete_transaction', { transaction_id: other }, reply('accept', requestState));
    expect(result.text).toMatch(/^Delete transaction in .*\n.*"the rent"/);
    expect([exists(transaction_id), exists(other)]).toEqual([true, true]);
    await call('delete_transaction', { transaction_id: other }, reply('accept', result.requestState));
    expect([exists(transaction_id), exists(other)]).toEqual([true, false]);
  });

  it('an accept to a question about one budget does not write to another budget', async () => {
    const { modern, ledger, other } = await startWithConfirmation('writes');
    const call = await modern();
    const account = { name: 'Piggy bank', type: 'cash', balance: 1 };
    const { requestState } = await call('create_account', { ...account, budget_id: ledger.id });
    const accept = reply('accept', requestState);
    const result = await call('create_account', { ...account, budget_id: other.id }, accept);
    expect(result.text).toContain(other.summary().name);
    expect(isQuestion(result)).toBe(true);
    for (const each of [ledger, other])
      expect(each.accounts().map(({ name }) => name)).not.toContain('Piggy bank');
  });

  it('a host of the newer era is asked again with the new facts if the entry has changed since the question', async () => {
    const { modern, exists, change, transaction_id, args } = await startWithEntry();
    const call = await modern();
    const first = await call('delete_transaction', args);
    change(transaction_id, { memo: 'the rent', amount: -5_000_000 });
    const second = await call('delete_transaction', args, reply('accept', first.requestState));
    expect(second.text).toMatch(/^This has changed since the last question\.\nDelete .*\n.*"the rent"/);
    expect(exists(transaction_id)).toBe(true);
    expect((await call('delete_transaction', args, reply('accept', second.requestState))).text).toContain(
      'Written.',
    );
    expect(exists(transaction_id)).toBe(false);
  });

  it('nothing is written if the entry changes before each of three accepts', async () => {
    const { modern, exists, change, transaction_id, args } = await startWithEntry();
    const call = await modern();
    let result = await call('delete_transaction', args);
    for (const amount of [-20, -30, -40]) {
      expect(isQuestion(result)).toBe(true);
      change(transaction_id, { amount });
      result = await call('delete_transaction', args, reply('accept', result.requestState));
    }
    expect(result).toMatchObject({
      isError: true,
      text: expect.stringContaining('This call changed nothing.'),
    });
    expect(result.text).toMatch(/asked 3 times.*\nDelete transaction/);
    expect(exists(transaction_id)).toBe(true);
  });

  it('an accept of many rows is none of other rows, however few', async () => {
    const { modern, ledger, clock } = await startWithConfirmation();
    const call = await modern();
    const args = { rule: 'repeat_last_month', month: '2026-12', from: 'Emergency Fund' };
    const first = await call('assign_money', args);
    expect(first.text).toMatch(/It would assign .* to 2\d categories/);
    const groups = ledger.categoryGroups().flatMap(({ categories }) => categories);
    const [pets, ...others] = groups
      .filter(({ budgeted }) => budgeted > 0)
      .toSorted((a) => (a.name === 'Pets' ? -1 : 1));
    ledger.commit((books) => {
      for (const { id, budgeted } of others) setBudgeted(books, id, '2026-12-01', budgeted);
    });
    // The cached budget is too old after that.
    clock.advance(60_000);
    const second = await call('assign_money', args, reply('accept', first.requestState));
    expect(second.text).toMatch(
      /^This has changed since the last question\.\n.*It would assign .* to "Pets"/s,
    );
    const budgeted = () => ledger.category(pets?.id ?? '', '2026-12-01')?.budgeted;
    expect(budgeted()).toBe(0);
    await call('assign_money', args, reply('accept', second.requestState));
    expect(budgeted()).toBe(pets?.budgeted);
  });

  it('one accept writes once, even if it is sent twice at the same time or again later', async () => {
    const { modern, ledger, account, date } = await startWithConfirmation('writes');
    const call = await modern();
    const transactions = [{ account_id: account.id, date, amount: -1, memo: 'coffee' }];
    const coffees = () =>
      [...ledger.state.transactions.values()].filter(({ memo }) => memo === 'coffee').length;
    const { requestState } = await call('create_transactions', { transactions });
    const accept = () => call('create_transactions', { transactions }, reply('accept', requestState));
    const both = await Promise.all([accept(), accept()]);
    expect(both.filter(isQuestion)).toHaveLength(1);
    expect(isQuestion(await accept())).toBe(true);
    expect(coffees()).toBe(1);
  });

  it.each<[string, (clock: Awaited<ReturnType<typeof startWithConfirmation>>['clock']) => void]>([
    ['ten minutes later', (clock) => clock.advance(TEN_MINUTES)],
    ['after a sleep of the machine', (clock) => clock.setWallClock(clock.now() + TEN_MINUTES)],
    [
      'ten minutes later, with the wall clock set back',
      (clock) => {
        clock.advance(TEN_MINUTES);
        clock.setWallClock(clock.now() - TEN_MINUTES);
      },
    ],
  ])('a host of the newer era is asked again if it accepts %s', async (_, pass) => {
    const { clock, modern, exists, transaction_id, args } = await startWithEntry();
    const call = await modern();
    const { requestState } = await call('delete_transaction', args);
    pass(clock);
    expect(isQuestion(await call('delete_transaction', args, reply('accept', requestState)))).toBe(true);
    expect(exists(transaction_id)).toBe(true);
  });

  it('an accept counts until just before ten minutes have passed', async () => {
    const { clock, modern, exists, transaction_id, args } = await startWithEntry();
    const call = await modern();
    const { requestState } = await call('delete_transaction', args);
    clock.advance(TEN_MINUTES - 1);
    await call('delete_transaction', args, reply('accept', requestState));
    expect(exists(transaction_id)).toBe(false);
  });

  it('an accept to a question to another caller does not count', async () => {
    const { modern, exists, transaction_id, args } = await startWithEntry();
    const { requestState } = await (await modern({ caller: 'a' }))('delete_transaction', args);
    const result = await (await modern({ caller: 'b' }))(
      'delete_transaction',
      args,
      reply('accept', requestState),
    );
    expect(isQuestion(result)).toBe(true);
    expect(exists(transaction_id)).toBe(true);
  });

  it('confirm: true counts after a host of the newer era cancels faster than a person can', async () => {
    const { clock, modern, exists, transaction_id, args } = await startWithEntry();
    const call = await modern();
    const { requestState } = await call('delete_transaction', args);
    clock.advance(HUMAN_REPLY_MS - 1);
    const refused = await call('delete_transaction', args, reply('cancel', requestState));
    expect(refused.text).toMatch(CANCELLED_AT_ONCE);
    expect(exists(transaction_id)).toBe(true);
    await call('delete_transaction', { ...args, confirm: true });
    expect(exists(transaction_id)).toBe(false);
  });

  it.each<[string, JsonObject]>([
    ['an error', { error: { code: -32601, message: 'Method not found' } }],
    ['a response without an action', {}],
    ['a whole JSON-RPC response', { result: { action: 'accept' } }],
  ])('confirm: true counts once after a host of the newer era replies with %s', async (_, response) => {
    const { clock, modern, enter, exists, transaction_id, args } = await startWithEntry();
    const other = enter('another');
    const call = await modern();
    const { requestState } = await call('delete_transaction', args);
    clock.advance(HUMAN_REPLY_MS);
    const retry = { inputResponses: { confirmation: response }, requestState };
    expect((await call('delete_transaction', { ...args, confirm: true }, retry)).text).toMatch(FAILED);
    expect(isQuestion(await call('delete_transaction', { transaction_id: other, confirm: true }))).toBe(true);
    expect([exists(transaction_id), exists(other)]).toEqual([true, true]);
    await call('delete_transaction', { ...args, confirm: true });
    expect([exists(transaction_id), exists(other)]).toEqual([false, true]);
  });

  it('an error of a host of the newer era without a question of this server permits nothing', async () => {
    const { modern, exists, transaction_id, args } = await startWithEntry();
    const call = await modern();
    for (const requestState of [undefined, 'v1.e30.AAAA']) {
      const retry = { inputResponses: { confirmation: {} }, ...(requestState && { requestState }) };
      expect(isQuestion(await call('delete_transaction', args, retry))).toBe(true);
    }
    expect(isQuestion(await call('delete_transaction', { ...args, confirm: true }))).toBe(true);
    expect(exists(transaction_id)).toBe(true);
  });

  it('a decline is final, although a host of the newer era sends it at once', async () => {
    const { modern, exists, transaction_id, args } = await startWithEntry();
    const call = await modern();
    const { requestState } = await call('delete_transaction', args);
    const { text } = await call('delete_transaction', args, reply('decline', requestState));
    expect(text).toMatch(/^This call changed nothing\. The host answered "decline"\..*--confirm none/);
    expect(isQuestion(await call('delete_transaction', { ...args, confirm: true }))).toBe(true);
    expect(exists(transaction_id)).toBe(true);
  });

  it.each(['decline', 'cancel'] as const)(
    'confirm: true does not count before or after a %s that took as long as a person needs',
    async (action) => {
      const { clock, modern, exists, transaction_id, args } = await startWithEntry();
      const call = await modern();
      const first = await call('delete_transaction', { ...args, confirm: true });
      await call('delete_transaction', args, reply('cancel', first.requestState));
      const { requestState } = await call('delete_transaction', args);
      clock.advance(HUMAN_REPLY_MS);
      expect(await call('delete_transaction', args, reply(action, requestState))).toMatchObject({
        isError: true,
        text: expect.stringMatching(`^This call changed nothing. The host answered "${action}".`),
      });
      // The refusal has revoked the permission of the first, automatic cancel.
      expect(isQuestion(await call('delete_transaction', { ...args, confirm: true }))).toBe(true);
      expect(exists(transaction_id)).toBe(true);
    },
  );

  it('a host of the newer era is asked after a dry run too, although the model sets confirm: true', async () => {
    const { modern, exists, transaction_id, args } = await startWithEntry();
    const call = await modern();
    await call('delete_transaction', { ...args, dry_run: true });
    expect(isQuestion(await call('delete_transaction', { ...args, confirm: true }))).toBe(true);
    expect(exists(transaction_id)).toBe(true);
  });
});

describe('a host of the older era', () => {
  it('a host of the older era is asked again if the entry changes during the question', async () => {
    const { older, exists, change, transaction_id, args } = await startWithEntry();
    const asked: string[] = [];
    const call = await older({
      person: (question) => {
        asked.push(question);
        if (asked.length === 1) change(transaction_id, { memo: 'the rent', amount: -5_000_000 });
        return asked.length === 1 ? 'accept' : 'decline';
      },
    });
    expect((await call('delete_transaction', args)).text).toMatch(
      /^This call changed nothing\. The host answered "decline"/,
    );
    expect(asked).toEqual([
      expect.stringMatching(/^Delete .*\n.*"worth a cent"/),
      expect.stringMatching(/^This has changed .*\nDelete .*\n.*"the rent"/),
    ]);
    expect(exists(transaction_id)).toBe(true);
  });

  it.each(['has changed', 'was shown before the machine slept for ten minutes'])(
    'a host of the older era is asked three times at most if what it accepts %s',
    async (problem) => {
      const { clock, older, exists, change, transaction_id, args } = await startWithEntry();
      let asked = 0;
      const call = await older({
        person: () => {
          asked += 1;
          if (problem === 'has changed') change(transaction_id, { amount: -asked });
          else clock.setWallClock(clock.now() + TEN_MINUTES);
          return 'accept';
        },
      });
      const { text, isError } = await call('delete_transaction', args);
      expect(isError).toBe(true);
      expect(text).toMatch(/^This call changed nothing\. .*asked 3 times.*\nDelete transaction/s);
      expect([asked, exists(transaction_id)]).toEqual([3, true]);
    },
  );

  it('a host of the older era is asked again if its accept comes after ten minutes', async () => {
    const { clock, older, exists, transaction_id, args } = await startWithEntry();
    let asked = 0;
    const call = await older({
      person: () => {
        asked += 1;
        if (asked > 1) return 'decline';
        clock.setWallClock(clock.now() + TEN_MINUTES);
        return 'accept';
      },
    });
    await call('delete_transaction', args);
    expect([asked, exists(transaction_id)]).toEqual([2, true]);
  });

  it.each<[string, RegExp, Person | undefined]>([
    ['cancels immediately', CANCELLED_AT_ONCE, () => 'cancel'],
    ['does not know the method', FAILED, undefined],
    [
      'answers with an error',
      FAILED,
      () => {
        throw new Error('There is no user to ask.');
      },
    ],
  ])('after a host of the older era %s, confirm: true counts once', async (_, expected, person) => {
    const { older, enter, exists, transaction_id, args } = await startWithEntry();
    const other = enter('another');
    const call = await older({ canAsk: true, ...(person && { person }) });
    expect((await call('delete_transaction', { ...args, confirm: true })).text).toMatch(expected);
    expect(exists(transaction_id)).toBe(true);
    await call('delete_transaction', { transaction_id: other, confirm: true });
    expect(exists(other)).toBe(true);
    await call('delete_transaction', { ...args, confirm: true });
    expect(exists(transaction_id)).toBe(false);
  });

  it('a decline is final, although a host of the older era sends it at once', async () => {
    const { older, exists, transaction_id, args } = await startWithEntry();
    const call = await older({ person: () => 'decline' });
    for (const _ of [1, 2])
      expect((await call('delete_transaction', { ...args, confirm: true })).text).toMatch(
        /^This call changed nothing\. The host answered "decline"\..*--confirm none/,
      );
    expect(exists(transaction_id)).toBe(true);
  });

  it('confirm: true does not count after a host of the older era cancels as slowly as a person', async () => {
    const { clock, older, exists, transaction_id, args } = await startWithEntry();
    const call = await older({
      person: () => {
        clock.advance(HUMAN_REPLY_MS);
        return 'cancel';
      },
    });
    for (const _ of [1, 2])
      expect((await call('delete_transaction', { ...args, confirm: true })).text).toMatch(
        /^This call changed nothing\. The host answered "cancel"\./,
      );
    expect(exists(transaction_id)).toBe(true);
  });
});

describe('a host of the older era that does not answer a question', () => {
  /** The question is open until `reply`. */
  async function startUnanswered() {
    const started = await startWithEntry();
    let onAsked = () => {};
    const asked = new Promise<void>((resolve) => {
      onAsked = resolve;
    });
    let reply = (_: 'accept' | 'decline') => {};
    const answered = new Promise<'accept' | 'decline'>((resolve) => {
      reply = resolve;
    });
    const call = await started.older({
      person: () => {
        onAsked();
        return answered;
      },
    });
    const result = call('delete_transaction', started.args);
    await asked;
    return { ...started, call, result, reply };
  }

  it('an unanswered question ends after ten minutes with "this call changed nothing", and a late accept deletes nothing', async () => {
    const { clock, call, result, reply, exists, transaction_id, args } = await startUnanswered();
    clock.advance(TEN_MINUTES);
    expect(await result).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^This call changed nothing\. The host did not answer\./),
    });
    reply('accept');
    // The late accept is on its way before this call, which asks nothing.
    const next = await call('delete_transaction', { ...args, dry_run: true });
    expect(next.isError).toBe(false);
    expect(exists(transaction_id)).toBe(true);
  });

  it('a question can be accepted until ten minutes have passed', async () => {
    const { clock, result, reply, exists, transaction_id } = await startUnanswered();
    clock.advance(TEN_MINUTES - 1);
    reply('accept');
    expect((await result).text).toContain('Written.');
    expect(exists(transaction_id)).toBe(false);
  });

  it('after an unanswered question confirm: true does not count', async () => {
    const { clock, older, result, exists, transaction_id, args } = await startUnanswered();
    clock.advance(TEN_MINUTES);
    await result;
    const other = await older({ person: () => 'decline' });
    const { text } = await other('delete_transaction', { ...args, confirm: true });
    expect(text).toMatch(/^This call changed nothing\. The host answered "decline"/);
    expect(exists(transaction_id)).toBe(true);
  });
});

it('a call of the newer era never waits for the host: the question is its answer', async () => {
  const { clock, modern, exists, transaction_id, args } = await startWithEntry();
  const call = await modern();
  // The clock stands still, so that any wait would never end.
  expect(isQuestion(await call('delete_transaction', args))).toBe(true);
  clock.advance(TEN_MINUTES);
  expect(isQuestion(await call('delete_transaction', { ...args, confirm: true }))).toBe(true);
  expect(exists(transaction_id)).toBe(true);
});

describe.each(['modern', 'older'] as const)('a host that cannot ask (%s)', (era) => {
  async function start() {
    const started = await startWithEntry();
    return { ...started, call: await started[era]({ canAsk: false }) };
  }

  it('confirm: true does not count on the first call, which gets the question as its result', async () => {
    const { call, exists, transaction_id, args } = await start();
    const { text, isError } = await call('delete_transaction', { ...args, confirm: true });
    expect(isError).toBe(true);
    expect(text).toMatch(/^This call changed nothing\. .*\nDelete transaction.*--confirm none/s);
    expect(exists(transaction_id)).toBe(true);
    await call('delete_transaction', { ...args, confirm: true });
    expect(exists(transaction_id)).toBe(false);
  });

  it('confirm: true counts after a dry run', async () => {
    const { call, exists, transaction_id, args } = await start();
    await call('delete_transaction', { ...args, dry_run: true });
    await call('delete_transaction', { ...args, confirm: true });
    expect(exists(transaction_id)).toBe(false);
  });

  it('confirm: true counts only for the arguments that were shown', async () => {
    const { call, exists, enter, args } = await start();
    const other = enter('another');
    await call('delete_transaction', args);
    await call('delete_transaction', { transaction_id: other, confirm: true });
    expect(exists(other)).toBe(true);
  });

  it('confirm: true does not count if the entry has changed since it was shown', async () => {
    const { call, exists, change, transaction_id, args } = await start();
    await call('delete_transaction', args);
    change(transaction_id, { memo: 'the rent' });
    const { text } = await call('delete_transaction', { ...args, confirm: true });
    expect(text).toContain('"the rent"');
    expect(exists(transaction_id)).toBe(true);
  });

  it('confirm: true does not count after ten minutes', async () => {
    const { clock, call, exists, transaction_id, args } = await start();
    await call('delete_transaction', args);
    clock.advance(TEN_MINUTES);
    await call('delete_transaction', { ...args, confirm: true });
    expect(exists(transaction_id)).toBe(true);
  });

  it('confirm: true does not count for a question to another caller', async () => {
    const started = await start();
    const { exists, transaction_id, args } = started;
    const other = await started[era]({ caller: 'other', canAsk: false });
    await started.call('delete_transaction', args);
    await other('delete_transaction', { ...args, confirm: true });
    expect(exists(transaction_id)).toBe(true);
  });
});

describe('a question about a write that creates payees', () => {
  it('the question names the payees that the write will create, and no others', async () => {
    const { modern, ledger } = await startWithConfirmation('writes');
    const call = await modern();
    const known = ledger.commit((state) => createPayee(state, 'Corner Bakery')).name;
    const row = { account_id: 'Wallet', date: '2026-11-21', amount: -1 };
    const names = [known, 'Florist', 'florist ', 'Corner "Shop"'];
    const transactions = names.map((payee_name) => ({ ...row, payee_name }));
    const question = await call('create_transactions', { transactions });
    expect(isQuestion(question)).toBe(true);
    expect(question.text).toContain(
      'It will create these payees, unless there are such: "Florist", "Corner \\"Shop\\"".',
    );
    const args = { transactions: [{ ...row, payee_name: known }] };
    expect((await call('create_transactions', args)).text).not.toContain('It will create');
  });

  it('the question is asked again if another person has made the payee since', async () => {
    const { modern, ledger } = await startWithConfirmation('writes');
    const call = await modern();
    const row = { account_id: 'Wallet', date: '2026-11-21', amount: -1, payee_name: 'Florist' };
    const { requestState } = await call('create_transactions', { transactions: [row] });
    ledger.commit((state) => createPayee(state, 'Florist'));
    const again = await call('create_transactions', { transactions: [row] }, reply('accept', requestState));
    expect(again.text).toMatch(/^This has changed since the last question\./);
    expect(again.text).not.toContain('It will create');
  });
});

it('confirm: true counts once for a question and a dry run of the same call together', async () => {
  const { modern, ledger, account, date } = await startWithConfirmation('writes');
  const call = await modern({ canAsk: false });
  const args = { transactions: [{ account_id: account.id, date, amount: -1, memo: 'coffee' }] };
  await call('create_transactions', { ...args, dry_run: true });
  await call('create_transactions', args);
  const [one, two] = await Promise.all(
    [1, 2].map(() => call('create_transactions', { ...args, confirm: true })),
  );
  expect([one?.isError, two?.isError].toSorted()).toEqual([false, true]);
  const coffees = [...ledger.state.transactions.values()].filter(({ memo }) => memo === 'coffee');
  expect(coffees).toHaveLength(1);
});

describe('a write of many rows', () => {
  const rowsOf = (length: number, row: JsonObject) => ({
    transactions: Array.from({ length }, () => row),
  });

  it.each(confirmPolicies)(
    'the policy decides whether a write of 20 or of 21 rows needs a confirmation: --confirm %s',
    async (policy) => {
      const { modern, account, date } = await startWithConfirmation(policy);
      const call = await modern();
      const row = { account_id: account.id, date, amount: -1 };
      const needsQuestion = { none: [false, false], deletes: [false, true], writes: [true, true] }[policy];
      const results = [
        await call('create_transactions', rowsOf(20, row)),
        await call('create_transactions', rowsOf(21, row)),
      ];
      expect(results.map(isQuestion)).toEqual(needsQuestion);
    },
  );

  it('a host of the older era is asked once about a write of 21 rows, and not about its dry run', async () => {
    const { older, account, date, ledger } = await startWithConfirmation();
    const asked: string[] = [];
    const call = await older({
      person: (question) => {
        asked.push(question);
        return 'accept';
      },
    });
    const args = rowsOf(21, { account_id: account.id, date, amount: -1, memo: 'coffee' });
    const coffees = () =>
      [...ledger.state.transactions.values()].filter(({ memo }) => memo === 'coffee').length;
    await call('create_transactions', { ...args, dry_run: true });
    expect([asked.length, coffees()]).toEqual([0, 0]);
    await call('create_transactions', args);
    expect([asked.length, coffees()]).toEqual([1, 21]);
  });

  it('a host of the newer era is not asked about the dry run of 21 rows', async () => {
    const { modern, account, date } = await startWithConfirmation();
    const call = await modern();
    const args = rowsOf(21, { account_id: account.id, date, amount: -1 });
    const { text, requestState } = await call('create_transactions', { ...args, dry_run: true });
    expect([text, requestState]).toEqual([expect.stringContaining('Dry run'), undefined]);
  });

  it('a write of many rows changes nothing before it is accepted, and all rows after it', async () => {
    const { modern, enter, ledger } = await startWithConfirmation();
    const call = await modern();
    const ids = Array.from({ length: 21 }, (_, at) => enter(`row ${at}`, -1_000));
    const args = { transactions: ids.map((id) => ({ id, amount: 0 })) };
    const amounts = () => new Set(ids.map((id) => ledger.transaction(id)?.amount));
    const { text, requestState } = await call('update_transactions', args);
    expect(text).toMatch(/^Update transactions .*… and 11 more rows\./s);
    expect(amounts()).toEqual(new Set([-1_000]));
    await call('update_transactions', args, reply('accept', requestState));
    expect(amounts()).toEqual(new Set([0]));
  });

  it('the server asks again if a row that the question did not show has changed', async () => {
    const { modern, enter, change } = await startWithConfirmation();
    const call = await modern();
    const ids = Array.from({ length: 21 }, (_, at) => enter(`row ${at}`));
    const args = { transactions: ids.map((id) => ({ id, memo: 'same' })) };
    const { requestState } = await call('update_transactions', args);
    change(ids.at(-1) ?? '', { memo: 'other' });
    expect(isQuestion(await call('update_transactions', args, reply('accept', requestState)))).toBe(true);
  });
});
