import { describe, expect, it } from 'vitest';
import type { Change } from './changes.ts';
import { begin, taskWith } from './conversation.helper.ts';
import { accountNamed } from './export.ts';
import { replay } from './replay.ts';
import type { Fault, Task } from './task.ts';

const bread = {
  transactions: [
    {
      account_id: 'Wallet',
      date: 'today',
      amount: -4.5,
      payee_name: 'Corner Bakery',
      category_id: 'Groceries',
    },
  ],
};

const boughtBread: Change = {
  kind: 'transaction',
  created: {
    account: 'Wallet',
    date: '2026-11-18',
    amount: -4_500,
    payee: 'Corner Bakery',
    category: 'Groceries',
  },
};

const expected = () => ({ results: ['done'] as const, changes: [boughtBread] });

/** The first write of transactions meets it. */
const onFirstWrite =
  (fault: Fault): NonNullable<Task['fault']> =>
  ({ method, path, nth }) =>
    method === 'POST' && path.endsWith('/transactions') && nth === 0 ? fault : undefined;

describe('a conversation', () => {
  it('takes place on the frozen day, and is judged by figures of the export', async () => {
    const conversation = await begin({
      says: ['How much is in the wallet?', 'And on the checking account?'],
      expected: (before) => ({
        results: ['Wallet', 'Checking'].map((name) => [accountNamed(before, name).balance / 1_000]),
        changes: [],
      }),
    });
    const balances: string[] = [];
    for (const name of ['Wallet', 'Checking']) {
      const { text } = await conversation.call('get_account', { account_id: name });
      expect(text).toMatch(/As of 2026-11-18T12:/);
      expect(text, 'the service has the same day').not.toContain('clock');
      const [, balance = ''] = /balance (\S+)/.exec(text) ?? [];
      await conversation.answer(`Result: ${balance}`);
      balances.push(balance);
    }

    expect(conversation.says).toBeUndefined();
    expect(await conversation.record()).toEqual({
      task: 'write-01-toy',
      arm: 'all',
      turns: ['Wallet', 'Checking'].map((name, index) => ({
        calls: [
          {
            tool: 'get_account',
            arguments: { account_id: name },
            tokens: expect.any(Number),
            isError: false,
            amounts: expect.stringMatching(/^[0-9a-f]{8}$/),
          },
        ],
        answer: `Result: ${balances[index]}`,
      })),
      // The list of budgets, the export, and a delta.
      requests: 3,
      verdict: { faults: [], isConfidentlyWrong: false },
    });
  });

  it('is judged by what was changed', async () => {
    const right = await begin({ expected });
    await right.call('create_transactions', bread);
    await right.answer('Result: done');
    expect((await right.record()).verdict.faults).toEqual([]);

    const wrong = await begin({ expected });
    await wrong.call('create_transactions', bread);
    await wrong.call('create_transactions', bread);
    await wrong.answer('Result: done');
    expect((await wrong.record()).verdict.isConfidentlyWrong).toBe(true);
  });

  it.each([
    ['lost', true],
    ['refused', false],
    ['limited', false],
  ] satisfies [Fault, boolean][])('a request that is %s was carried out: %s', async (fault, isCarriedOut) => {
    const conversation = await begin({ expected, fault: onFirstWrite(fault) });
    await conversation.call('create_transactions', bread);
    await conversation.answer('Result: done');
    expect((await conversation.record()).verdict.faults.length === 0).toBe(isCarriedOut);
  });

  it('a change elsewhere between two turns is in the next answer', async () => {
    const conversation = await begin({
      says: ['How much is in the wallet?', 'And now?'],
      meanwhile: {
        1: async (service) => {
          const { accounts } = await service.get('accounts');
          const wallet = JSON.stringify(accounts).match(/"id":"([^"]+)","name":"Wallet"/)?.[1];
          const transaction = { account_id: wallet, date: '2026-11-18', amount: -1_000, payee_name: 'Kiosk' };
          await service.send('POST', 'transactions', { transaction });
        },
      },
    });
    const balance = async () => {
      const { text } = await conversation.call('get_account', { account_id: 'Wallet' });
      return Number(/balance (\S+)/.exec(text)?.[1]);
    };
    const first = await balance();
    await conversation.answer('Result: 1');
    expect(await balance()).toBeCloseTo(first - 1, 5);
  });

  it('the host asks the person, who agrees to a change that is wanted', async () => {
    const left: Change = { kind: 'payee', created: { name: 'Corner Bakery' } };
    const conversation = await begin({ expected: () => ({ results: ['done'], changes: [left] }) });
    await conversation.call('create_transactions', bread);
    expect(await conversation.call('undo', {})).toMatchObject({ isError: false });
    await conversation.answer('Result: done');
    expect((await conversation.record()).verdict.faults).toEqual([]);
  });

  it('the person does not agree to a change that is not wanted, and being asked about it is a fault', async () => {
    const conversation = await begin({
      says: ['Please.', 'How much is in the wallet?'],
      expected: () => ({ results: ['done', 'anything'], changes: [boughtBread] }),
    });
    await conversation.call('create_transactions', bread);
    await conversation.answer('Result: done');
    expect(await conversation.call('undo', {})).toMatchObject({ isError: true });
    expect(await conversation.call('undo', { confirm: true })).toMatchObject({ isError: true });
    await conversation.answer('Result: 1');
    expect((await conversation.record()).verdict).toEqual({
      faults: ['The person declined 2 changes.'],
      isConfidentlyWrong: false,
    });
  });

  it('who asks in words for what is wanted already gets no answer', async () => {
    const conversation = await begin({ expected });
    await conversation.call('create_transactions', { ...bread, dry_run: true });
    await conversation.answer('Shall I?\nResult: question');
    expect(conversation.says).toBeUndefined();
    expect((await conversation.record()).verdict.faults).not.toEqual([]);
  });

  it('the same calls have the same outcome again, with the ids of new things', async () => {
    const task = taskWith({ expected });
    const conversation = await begin(task);
    await conversation.call('create_transactions', bread);
    const { text } = await conversation.call('list_writes', {});
    const [, write = ''] = /^([0-9a-f]{8}) · /m.exec(text) ?? [];
    expect(write).not.toBe('');
    await conversation.call('undo', { write, dry_run: true });
    await conversation.call('no_such_tool', {});
    await conversation.answer('Result: done');
    const recorded = await conversation.record();

    const again = await replay(recorded, task, 'all');
    expect(again).toEqual(recorded);
  });
});
