/** That the tools carry out the extra tasks in as many calls as they are meant to. */
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Conversation } from './conversation.ts';
import { readRuns } from './recording.ts';
import { deviations, replay } from './replay.ts';
import { loadTask } from './tasks.ts';

async function begin(id: string) {
  const conversation = await Conversation.start({ id, task: await loadTask(id) }, 'all');
  onTestFinished(() => conversation.close());
  const call = async (tool: string, args: object) => {
    const { text, isError } = await conversation.call(tool, { ...args });
    expect(isError, text).toBe(false);
    return text;
  };
  const faults = async () => (await conversation.record()).verdict.faults;
  return { conversation, call, faults };
}

it.each([
  ['extra-01-fund-goals', { rule: 'fund_goals', from: 'Emergency Fund' }],
  [
    'extra-02-spread-a-paycheck',
    {
      amounts: [
        { category: 'Groceries', amount: 600 },
        { category: 'Fuel', amount: 150 },
        { category: 'Clothing', amount: 150 },
        { category: 'Holiday', amount: 486.32 },
        { category: 'Emergency Fund', amount: 1045.28 },
      ],
    },
  ],
])('%s takes one preview and one call', async (id, assigned) => {
  const { conversation, call, faults } = await begin(id);
  await call('assign_money', { ...assigned, dry_run: true });
  await call('assign_money', assigned);
  await conversation.answer('Result: done');
  expect(await faults()).toEqual([]);
});

it('extra-03-review-what-came-in takes three calls, written as the review names them', async () => {
  const { conversation, call, faults } = await begin('extra-03-review-what-came-in');
  const text = await call('review_transactions', {});
  const [, date = ''] = /Likely duplicates.*\n {2}(\S+) · -63\.27 /.exec(text) ?? [];
  await conversation.answer(`Result: ${date}; 63.27`);
  const [, deletion = ''] = /delete_transaction (\{.*?\})/.exec(text) ?? [];
  await call('delete_transaction', JSON.parse(deletion));
  const [, unapproved] = /(\d+) not approved/.exec(text) ?? [];
  await call('approve_transactions', { expected: Number(unapproved) - 1 });
  await conversation.answer('Result: done');
  expect(await faults()).toEqual([]);
});

it('extra-04-statement-of-the-bank takes two calls, without a row of the file', async () => {
  const { conversation, call, faults } = await begin('extra-04-statement-of-the-bank');
  const text = await call('list_statements', {});
  const [, statement = ''] = /"(checking.*?)"/.exec(text) ?? [];
  const entered = await call('enter_statement', { account: 'Checking', statement });
  await conversation.answer('Result: done');
  const [, count = ''] = /Entered as cleared: (\d+)\./.exec(entered) ?? [];
  const [, balance = ''] = /cleared balance on \S+ is (\S+)\.\n/.exec(entered) ?? [];
  await conversation.answer(`Result: ${count}; ${balance}`);
  expect(await faults()).toEqual([]);
});

it("the recorded run of a model entered the bank's file, and no row of it stands in what the model read or sent", async () => {
  const task = 'extra-04-statement-of-the-bank';
  const [run] = readRuns(join(import.meta.dirname, 'extra', task, 'runs'));
  const recorded = run?.conversations[0] ?? expect.unreachable();
  expect(recorded.verdict.faults).toEqual([]);
  expect(deviations(recorded, await replay(recorded, await loadTask(task), 'all'))).toEqual([]);
});

it('no row of the file stands in what is listed of the write, or taken back', async () => {
  const { conversation, call, faults } = await begin('extra-04-statement-of-the-bank');
  const text = await call('list_statements', {});
  const [, statement = ''] = /"(checking.*?)"/.exec(text) ?? [];
  await call('enter_statement', { account: 'Checking', statement });
  expect(await call('list_writes', {})).toContain('deletes 3 transactions of "Checking"');
  await call('undo', { dry_run: true });
  await conversation.answer('Result: done');
  expect((await faults()).join()).not.toContain('A row of the file');
});

it('a row of the file in an argument is a fault', async () => {
  const { conversation, faults } = await begin('extra-04-statement-of-the-bank');
  await conversation.call('find_transactions', { text: 'HAFENKIOSK' });
  expect((await faults()).join()).toContain(
    'A row of the file was read or sent: find_transactions: HAFENKIOSK',
  );
});
