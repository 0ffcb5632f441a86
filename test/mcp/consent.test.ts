import { describe, expect, it } from 'vitest';
import { confirmPolicies } from '../../src/operations/consent.ts';
import { answer, type Result, startAsking } from './asking.ts';

const TEN_MINUTES = 600_000;
const LATE = 300;

const isQuestion = ({ requestState }: Result) => requestState !== undefined;

/** An entry that is to be deleted. */
async function startWithEntry() {
  const started = await startAsking();
  const transaction_id = started.enter('worth a cent');
  return { ...started, transaction_id, args: { transaction_id } };
}

describe('a host of the newer era', () => {
  it('deletes nothing by an accept to a question that was not asked', async () => {
    const { modern, exists, transaction_id, args } = await startWithEntry();
    const call = await modern();
    expect(isQuestion(await call('delete_transaction', args, answer('accept')))).toBe(true);
    expect(isQuestion(await call('delete_transaction', args, answer('accept', 'v1.e30.AAAA')))).toBe(true);
    expect(exists(transaction_id)).toBe(true);
  });

  it('does not get B deleted by an accept to the question about A', async () => {
    const { modern, exists, enter, transaction_id, args } = await startWithEntry();
    const call = await modern();
    const other = enter('the rent', -5_000_000);
    const { requestState } = await call('delete_transaction', args);
    const result = await call(
      'delete_transaction',
      { transaction_id: other },
      answer('accept', requestState),
    );
    expect(result.text).toMatch(/^Delete transaction in .*\n.*"the rent"/);
    expect([exists(transaction_id), exists(other)]).toEqual([true, true]);
    await call('delete_transaction', { transaction_id: other }, answer('accept', result.requestState));
    expect([exists(transaction_id), exists(other)]).toEqual([true, false]);
  });

  it('does not get a write into one budget carried out by an accept to the question about another', async () => {
    const { modern, ledger, other } = await startAsking('writes');
    const call = await modern();
    const account = { name: 'Piggy bank', type: 'cash', balance: 1 };
    const { requestState } = await call('create_account', { ...account, budget_id: ledger.id });
    const accept = answer('accept', requestState);
    const result = await call('create_account', { ...account, budget_id: other.id }, accept);
    expect(result.text).toContain(other.summary().name);
    expect(isQuestion(result)).toBe(true);
    for (const each of [ledger, other])
      expect(each.accounts().map(({ name }) => name)).not.toContain('Piggy bank');
  });

  it('is asked again when what it was asked about has changed, and told the new facts', async () => {
    const { modern, exists, change, transaction_id, args } = await startWithEntry();
    const call = await modern();
    const first = await call('delete_transaction', args);
    change(transaction_id, { memo: 'the rent', amount: -5_000_000 });
    const second = await call('delete_transaction', args, answer('accept', first.requestState));
    expect(second.text).toMatch(/^This has changed since the last question\.\nDelete .*\n.*"the rent"/);
    expect(exists(transaction_id)).toBe(true);
    expect((await call('delete_transaction', args, answer('accept', second.requestState))).text).toContain(
      'Written.',
    );
    expect(exists(transaction_id)).toBe(false);
  });

  it('is told that nothing was written when each of its accepts comes after a change', async () => {
    const { modern, exists, change, transaction_id, args } = await startWithEntry();
    const call = await modern();
    let result = await call('delete_transaction', args);
    for (const amount of [-20, -30, -40]) {
      expect(isQuestion(result)).toBe(true);
      change(transaction_id, { amount });
      result = await call('delete_transaction', args, answer('accept', result.requestState));
    }
    expect(result).toMatchObject({ isError: true, text: expect.stringContaining('Nothing was written.') });
    expect(result.text).toMatch(/asked 3 times.*\nDelete transaction/);
    expect(exists(transaction_id)).toBe(true);
  });

  it('writes once by one accept, though it is sent again or twice at once', async () => {
    const { modern, ledger, account, date } = await startAsking('writes');
    const call = await modern();
    const transactions = [{ account_id: account.id, date, amount: -1, memo: 'coffee' }];
    const coffees = () =>
      [...ledger.state.transactions.values()].filter(({ memo }) => memo === 'coffee').length;
    const { requestState } = await call('create_transactions', { transactions });
    const accept = () => call('create_transactions', { transactions }, answer('accept', requestState));
    const both = await Promise.all([accept(), accept()]);
    expect(both.filter(isQuestion)).toHaveLength(1);
    expect(isQuestion(await accept())).toBe(true);
    expect(coffees()).toBe(1);
  });

  it.each<[string, (clock: Awaited<ReturnType<typeof startAsking>>['clock']) => void]>([
    ['ten minutes later', (clock) => clock.advance(TEN_MINUTES)],
    ['after a sleep of the machine', (clock) => clock.setWallClock(clock.now() + TEN_MINUTES)],
    [
      'ten minutes later, with the wall clock set back',
      (clock) => {
        clock.advance(TEN_MINUTES);
        clock.setWallClock(clock.now() - TEN_MINUTES);
      },
    ],
  ])('is asked again when it accepts %s', async (_, pass) => {
    const { clock, modern, exists, transaction_id, args } = await startWithEntry();
    const call = await modern();
    const { requestState } = await call('delete_transaction', args);
    pass(clock);
    expect(isQuestion(await call('delete_transaction', args, answer('accept', requestState)))).toBe(true);
    expect(exists(transaction_id)).toBe(true);
  });

  it('may accept until just before ten minutes have passed', async () => {
    const { clock, modern, exists, transaction_id, args } = await startWithEntry();
    const call = await modern();
    const { requestState } = await call('delete_transaction', args);
    clock.advance(TEN_MINUTES - 1);
    await call('delete_transaction', args, answer('accept', requestState));
    expect(exists(transaction_id)).toBe(false);
  });

  it('cannot use a question that another caller was asked', async () => {
    const { modern, exists, transaction_id, args } = await startWithEntry();
    const { requestState } = await (await modern({ caller: 'a' }))('delete_transaction', args);
    const result = await (await modern({ caller: 'b' }))(
      'delete_transaction',
      args,
      answer('accept', requestState),
    );
    expect(isQuestion(result)).toBe(true);
    expect(exists(transaction_id)).toBe(true);
  });

  it('may say confirm: true after it has cancelled at once, which no person can', async () => {
    const { clock, modern, exists, transaction_id, args } = await startWithEntry();
    const call = await modern();
    const { requestState } = await call('delete_transaction', args);
    clock.advance(LATE - 1);
    const refused = await call('delete_transaction', args, answer('cancel', requestState));
    expect(refused.text).toMatch(/^The host could not ask.*\nDelete transaction.*confirm: true.*--confirm/s);
    expect(exists(transaction_id)).toBe(true);
    await call('delete_transaction', { ...args, confirm: true });
    expect(exists(transaction_id)).toBe(false);
  });

  it.each(['decline', 'cancel'] as const)(
    'may not say confirm: true after a %s that took its time, nor before',
    async (action) => {
      const { clock, modern, exists, transaction_id, args } = await startWithEntry();
      const call = await modern();
      const first = await call('delete_transaction', { ...args, confirm: true });
      await call('delete_transaction', args, answer('cancel', first.requestState));
      const { requestState } = await call('delete_transaction', args);
      clock.advance(LATE);
      expect(await call('delete_transaction', args, answer(action, requestState))).toMatchObject({
        isError: true,
        text: expect.stringMatching(`^The host answered "${action}". Nothing was written.`),
      });
      // What the cancel at once had permitted is taken back.
      expect(isQuestion(await call('delete_transaction', { ...args, confirm: true }))).toBe(true);
      expect(exists(transaction_id)).toBe(true);
    },
  );

  it('is asked after a dry run too, though the model says confirm: true', async () => {
    const { modern, exists, transaction_id, args } = await startWithEntry();
    const call = await modern();
    await call('delete_transaction', { ...args, dry_run: true });
    expect(isQuestion(await call('delete_transaction', { ...args, confirm: true }))).toBe(true);
    expect(exists(transaction_id)).toBe(true);
  });
});

describe('a host of the older era', () => {
  it('is asked again when what it is asked about changes during the question', async () => {
    const { older, exists, change, transaction_id, args } = await startWithEntry();
    const asked: string[] = [];
    const call = await older({
      person: (question) => {
        asked.push(question);
        if (asked.length === 1) change(transaction_id, { memo: 'the rent', amount: -5_000_000 });
        return asked.length === 1 ? 'accept' : 'decline';
      },
    });
    expect((await call('delete_transaction', args)).text).toMatch(/^The host answered "decline"/);
    expect(asked).toEqual([
      expect.stringMatching(/^Delete .*\n.*"worth a cent"/),
      expect.stringMatching(/^This has changed .*\nDelete .*\n.*"the rent"/),
    ]);
    expect(exists(transaction_id)).toBe(true);
  });

  it('is asked three times at most', async () => {
    const { older, exists, change, transaction_id, args } = await startWithEntry();
    let asked = 0;
    const call = await older({
      person: () => {
        asked += 1;
        change(transaction_id, { amount: -asked });
        return 'accept';
      },
    });
    const { text, isError } = await call('delete_transaction', args);
    expect(isError).toBe(true);
    expect(text).toMatch(/asked 3 times.*\nDelete transaction.*Nothing was written\./s);
    expect([asked, exists(transaction_id)]).toEqual([3, true]);
  });

  it('is asked again when its accept comes after ten minutes', async () => {
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

  it.each<[string, () => 'cancel']>([
    ['cancels at once', () => 'cancel'],
    [
      'answers with an error',
      () => {
        throw new Error('There is nobody to ask.');
      },
    ],
  ])('that %s could not ask, and may say confirm: true once', async (_, person) => {
    const { older, enter, exists, transaction_id, args } = await startWithEntry();
    const other = enter('another');
    const call = await older({ person });
    expect((await call('delete_transaction', { ...args, confirm: true })).text).toMatch(
      /^The host could not ask.*\nDelete transaction.*confirm: true.*Nothing was written\..*--confirm none/s,
    );
    expect(exists(transaction_id)).toBe(true);
    await call('delete_transaction', { transaction_id: other, confirm: true });
    expect(exists(other)).toBe(true);
    await call('delete_transaction', { ...args, confirm: true });
    expect(exists(transaction_id)).toBe(false);
  });

  it('that cancels after a while may not say confirm: true', async () => {
    const { clock, older, exists, transaction_id, args } = await startWithEntry();
    const call = await older({
      person: () => {
        clock.advance(LATE);
        return 'cancel';
      },
    });
    for (const _ of [1, 2])
      expect((await call('delete_transaction', { ...args, confirm: true })).text).toMatch(
        /^The host answered "cancel"\. Nothing was written\./,
      );
    expect(exists(transaction_id)).toBe(true);
  });
});

describe('a host of the older era whose question nobody answers', () => {
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

  it('is told after ten minutes that nothing was written, and its late accept deletes nothing', async () => {
    const { clock, call, result, reply, exists, transaction_id, args } = await startUnanswered();
    clock.advance(TEN_MINUTES);
    expect(await result).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^The host did not answer\. Nothing was written\./),
    });
    reply('accept');
    // The late accept is on its way before this call, which asks nothing.
    const next = await call('delete_transaction', { ...args, dry_run: true });
    expect(next.isError).toBe(false);
    expect(exists(transaction_id)).toBe(true);
  });

  it('may accept until just before ten minutes have passed', async () => {
    const { clock, result, reply, exists, transaction_id } = await startUnanswered();
    clock.advance(TEN_MINUTES - 1);
    reply('accept');
    expect((await result).text).toContain('Written.');
    expect(exists(transaction_id)).toBe(false);
  });

  it('may not say confirm: true afterwards, as it could after an error', async () => {
    const { clock, older, result, exists, transaction_id, args } = await startUnanswered();
    clock.advance(TEN_MINUTES);
    await result;
    const other = await older({ person: () => 'decline' });
    const { text } = await other('delete_transaction', { ...args, confirm: true });
    expect(text).toMatch(/^The host answered "decline"/);
    expect(exists(transaction_id)).toBe(true);
  });
});

it('a host of the newer era is waited for in no call: a question that nobody answers is an answer at once', async () => {
  const { clock, modern, exists, transaction_id, args } = await startWithEntry();
  const call = await modern();
  // The clock stands still, so that any wait would last for ever.
  expect(isQuestion(await call('delete_transaction', args))).toBe(true);
  clock.advance(TEN_MINUTES);
  expect(isQuestion(await call('delete_transaction', { ...args, confirm: true }))).toBe(true);
  expect(exists(transaction_id)).toBe(true);
});

describe.each(['modern', 'older'] as const)('confirm: true of a host that cannot ask (%s)', (era) => {
  async function start() {
    const started = await startWithEntry();
    return { ...started, call: await started[era]({ canAsk: false }) };
  }

  it('does not count on the first call, which is answered with the question', async () => {
    const { call, exists, transaction_id, args } = await start();
    const { text, isError } = await call('delete_transaction', { ...args, confirm: true });
    expect(isError).toBe(true);
    expect(text).toMatch(/\nDelete transaction.*Nothing was written\..*--confirm none/s);
    expect(exists(transaction_id)).toBe(true);
    await call('delete_transaction', { ...args, confirm: true });
    expect(exists(transaction_id)).toBe(false);
  });

  it('counts after a dry run', async () => {
    const { call, exists, transaction_id, args } = await start();
    await call('delete_transaction', { ...args, dry_run: true });
    await call('delete_transaction', { ...args, confirm: true });
    expect(exists(transaction_id)).toBe(false);
  });

  it('counts for the arguments that were shown only', async () => {
    const { call, exists, enter, args } = await start();
    const other = enter('another');
    await call('delete_transaction', args);
    await call('delete_transaction', { transaction_id: other, confirm: true });
    expect(exists(other)).toBe(true);
  });

  it('does not count once what was shown has changed', async () => {
    const { call, exists, change, transaction_id, args } = await start();
    await call('delete_transaction', args);
    change(transaction_id, { memo: 'the rent' });
    const { text } = await call('delete_transaction', { ...args, confirm: true });
    expect(text).toContain('"the rent"');
    expect(exists(transaction_id)).toBe(true);
  });

  it('does not count after ten minutes', async () => {
    const { clock, call, exists, transaction_id, args } = await start();
    await call('delete_transaction', args);
    clock.advance(TEN_MINUTES);
    await call('delete_transaction', { ...args, confirm: true });
    expect(exists(transaction_id)).toBe(true);
  });

  it('does not count for what another caller was shown', async () => {
    const started = await start();
    const { exists, transaction_id, args } = started;
    const other = await started[era]({ caller: 'other', canAsk: false });
    await started.call('delete_transaction', args);
    await other('delete_transaction', { ...args, confirm: true });
    expect(exists(transaction_id)).toBe(true);
  });
});

it('confirm: true counts once for a question and a dry run of the same call together', async () => {
  const { modern, ledger, account, date } = await startAsking('writes');
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
  const rowsOf = (length: number, row: Record<string, unknown>) => ({
    transactions: Array.from({ length }, () => row),
  });

  it.each(confirmPolicies)(
    'of more than 20 is asked about, of 20 it is not: --confirm %s',
    async (policy) => {
      const { modern, account, date } = await startAsking(policy);
      const call = await modern();
      const row = { account_id: account.id, date, amount: -1 };
      const asked = { none: [false, false], deletes: [false, true], writes: [true, true] }[policy];
      const results = [
        await call('create_transactions', rowsOf(20, row)),
        await call('create_transactions', rowsOf(21, row)),
      ];
      expect(results.map(isQuestion)).toEqual(asked);
    },
  );

  it('changes nothing unasked, and is carried out whole once it is accepted', async () => {
    const { modern, enter, ledger } = await startAsking();
    const call = await modern();
    const ids = Array.from({ length: 21 }, (_, at) => enter(`row ${at}`, -1_000));
    const args = { transactions: ids.map((id) => ({ id, amount: 0 })) };
    const amounts = () => new Set(ids.map((id) => ledger.transaction(id)?.amount));
    const { text, requestState } = await call('update_transactions', args);
    expect(text).toMatch(/^Update transactions .*… and 11 more rows\./s);
    expect(amounts()).toEqual(new Set([-1_000]));
    await call('update_transactions', args, answer('accept', requestState));
    expect(amounts()).toEqual(new Set([0]));
  });

  it('is asked about again when a row that the question did not show has changed', async () => {
    const { modern, enter, change } = await startAsking();
    const call = await modern();
    const ids = Array.from({ length: 21 }, (_, at) => enter(`row ${at}`));
    const args = { transactions: ids.map((id) => ({ id, memo: 'same' })) };
    const { requestState } = await call('update_transactions', args);
    change(ids.at(-1) ?? '', { memo: 'other' });
    expect(isQuestion(await call('update_transactions', args, answer('accept', requestState)))).toBe(true);
  });
});
