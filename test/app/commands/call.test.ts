/** `budget-mcp call` of the built program. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Household } from '../../household.helper.ts';
import { runProgram } from '../../run-program.helper.ts';
import { hasTerminal, runAtTerminal } from '../../terminal.helper.ts';

let home: Household;
beforeAll(async () => {
  home = await Household.start({ transactions: 200 });
});
afterAll(() => home.close());

const environment = () => ({ ...home.env(), BUDGET_MCP_NO_STATE: 'true' });

const call = (tool: string, args: object, ...options: readonly string[]) =>
  runProgram(['call', tool, JSON.stringify(args), ...options], { env: environment() });

test('call prints the text that an assistant would read', async () => {
  const { exitCode, stdout, stderr } = await runProgram(['call', 'list_accounts'], { env: environment() });
  expect(stdout).toMatch(/^Budget "Household" \(EUR\) · 12 accounts\n/);
  expect(stdout).toMatch(/"Checking".*\n(.*\n)*As of .*\n$/);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
});

test('call with --json prints the structured content', async () => {
  const { exitCode, stdout } = await call('get_account', { account_id: 'Checking' }, '--json');
  const { balance } = await home.account('Checking');
  expect(JSON.parse(stdout)).toMatchObject({ account: { name: 'Checking', balance: balance / 1_000 } });
  expect(exitCode).toBe(0);
});

test.each([
  [['get_account', '{"account_id":"Nowhere"}', '--json'], 'there is no account "Nowhere"'],
  [['get_acount'], 'There is no tool get_acount. Did you mean get_account?'],
  [['list_accounts', '[]'], 'The arguments have to be a JSON object'],
])('call %j ends with 1 and says why on standard error', async (args, reason) => {
  const { exitCode, stdout, stderr } = await runProgram(['call', ...args], { env: environment() });
  expect(stderr).toContain(reason);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
});

describe('a deletion', () => {
  const ids = z.object({ transactions: z.array(z.object({ id: z.string() })) });
  const newest = async () => ids.parse(await home.get('transactions')).transactions.at(-1)?.id;
  const isThere = async (id: string | undefined) => (await home.transaction(id)) !== undefined;

  test('without a terminal, a deletion is refused until the arguments have confirm', async () => {
    const transaction_id = await newest();
    const { exitCode, stderr } = await call('delete_transaction', { transaction_id });
    expect(stderr).toContain('confirm: true');
    expect(exitCode).toBe(1);
    expect(await isThere(transaction_id)).toBe(true);
    expect(await call('delete_transaction', { transaction_id, confirm: true })).toMatchObject({
      exitCode: 0,
    });
    expect(await isThere(transaction_id)).toBe(false);
  });

  test.runIf(hasTerminal).each([
    ['n', 1],
    ['y', 0],
  ])('at a terminal the person is asked about a deletion, and %s ends it with %i', async (text, exitCode) => {
    const transaction_id = await newest();
    const args = ['call', 'delete_transaction', JSON.stringify({ transaction_id })];
    const run = await runAtTerminal(args, environment(), { to: 'Yes', text });
    expect(run.exitCode, run.output).toBe(exitCode);
    expect(await isThere(transaction_id)).toBe(exitCode === 1);
  });
});
