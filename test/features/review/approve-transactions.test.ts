import { describe, expect, it } from 'vitest';
import { updateTransaction } from '../../../src/service/ledger/transactions.ts';
import { createTransactions } from '../../../src/service/writes/create-transactions.ts';
import { hostOf } from '../../mcp/connected.helper.ts';
import { household } from '../writing-household.helper.ts';

/** A household in which `count` transactions at one payee wait for approval. */
async function waiting(count: number) {
  const started = await household();
  const { ledger, done } = started;
  const { id: account_id } = ledger.accounts(undefined).find(({ name }) => name === 'Checking') ?? {};
  const enter = (number: number) =>
    ledger.commit((state) =>
      createTransactions(
        state,
        Array.from({ length: number }, (_, at) => ({
          account_id,
          date: ledger.state.today,
          amount: -1_000 - at * 10,
          payee_name: 'Harvest Hall',
        })),
      ),
    );
  enter(count);
  await done('refresh_budget');
  const open = () =>
    ledger.transactions(undefined).filter((each) => !each.approved && each.payee_name === 'Harvest Hall')
      .length;
  return { ...started, enter, open };
}

describe('approve_transactions', () => {
  it('approves what matches and nothing else', async () => {
    const { done, ledger, open } = await waiting(3);
    const others = () => ledger.transactions(undefined).filter((each) => !each.approved).length - open();
    const before = others();
    const text = await done('approve_transactions', { payee: 'Harvest Hall', expected: 3 });
    expect(text).toContain('Approved: 3 transactions');
    expect(text).toContain('sum -3.03');
    expect([open(), others()]).toEqual([0, before]);
  });

  it('a dry run writes nothing', async () => {
    const { done, open } = await waiting(3);
    const text = await done('approve_transactions', { payee: 'Harvest Hall', expected: 3, dry_run: true });
    expect(text).toContain('To be approved: 3 transactions');
    expect(open()).toBe(3);
  });

  it.each([2, 4])('%s instead of three are refused, and nothing is written', async (expected) => {
    const { call, open, asked } = await waiting(3);
    asked();
    const { isError, text } = await call('approve_transactions', { payee: 'Harvest Hall', expected });
    expect({ isError, open: open() }).toEqual({ isError: true, open: 3 });
    expect(text).toContain(`3 unapproved transactions match, and not ${expected}. Nothing was approved.`);
    expect(asked().filter((path) => path.startsWith('PATCH'))).toEqual([]);
  });

  it('a number that has changed elsewhere since the last answer is refused, and nothing is written', async () => {
    const { call, open, enter } = await waiting(3);
    enter(1);
    const { isError, text } = await call('approve_transactions', { payee: 'Harvest Hall', expected: 3 });
    expect({ isError, open: open() }).toEqual({ isError: true, open: 4 });
    expect(text).toContain('4 unapproved transactions match, and not 3');
  });

  it('2,100 rows are approved by three writes, and taken back by one undo', async () => {
    const { done, open, asked } = await waiting(2_100);
    asked();
    const text = await done('approve_transactions', { payee: 'Harvest Hall', expected: 2_100 });
    expect(text).toContain('Approved: 2100 transactions');
    expect(open()).toBe(0);
    const requests = asked();
    expect(
      requests.filter((path) => path.endsWith('/transactions')),
      requests.join(),
    ).toHaveLength(3);
    expect(requests.length, requests.join()).toBeLessThanOrEqual(8);
    await done('undo', {});
    expect(open()).toBe(2_100);
  });

  it('what was approved elsewhere meanwhile does not count any more', async () => {
    const { call, ledger, open } = await waiting(3);
    const [first] = ledger
      .transactions(undefined)
      .filter((each) => !each.approved && each.payee_name === 'Harvest Hall');
    ledger.commit((state) => updateTransaction(state, first?.id ?? '', { approved: true }));
    const { isError } = await call('approve_transactions', { payee: 'Harvest Hall', expected: 3 });
    expect({ isError, open: open() }).toEqual({ isError: true, open: 2 });
  });
});

describe('the consent to an approval', () => {
  /** A host that cannot ask, with 21 transactions that wait for approval. */
  async function asking() {
    const started = await waiting(21);
    const host = await hostOf(started, { confirm: 'deletes' });
    const approve = async (args = {}) => {
      const { content, isError } = await host.callTool({
        name: 'approve_transactions',
        arguments: { payee: 'Harvest Hall', expected: 21, ...args },
      });
      return {
        isError: isError === true,
        text: content.map((each) => (each.type === 'text' ? each.text : '')).join(),
      };
    };
    return { ...started, approve };
  }

  it('is asked for once if there are more than twenty, with their number and sum', async () => {
    const { approve, open } = await asking();
    const question = await approve();
    expect(question).toMatchObject({ isError: true, text: expect.stringContaining('21 transactions from') });
    expect(question.text).toContain('… and 11 more, sum -');
    expect(open()).toBe(21);
    expect(await approve({ confirm: true })).toMatchObject({ isError: false });
    expect(open()).toBe(0);
  });

  it('does not count for as many others', async () => {
    const { approve, open, enter, ledger } = await asking();
    await approve();
    const [first] = ledger.transactions(undefined).filter(({ amount }) => amount === -1_000);
    ledger.commit((state) => updateTransaction(state, first?.id ?? '', { approved: true }));
    enter(1);
    expect(await approve({ confirm: true })).toMatchObject({ isError: true });
    expect(open()).toBe(21);
  });
});
