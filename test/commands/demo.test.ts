import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { moneyFormatter, plainAmounts } from '../../src/format/units.ts';
import { listBudgets } from '../../src/operations/budgets.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { startService } from '../../src/service/server.ts';
import { program } from '../hosts.helper.ts';

const run = promisify(execFile);

const category = z.object({
  name: z.string(),
  balance: z.number(),
  budgeted: z.number(),
  activity: z.number(),
});
const account = z.object({ name: z.string(), balance: z.number() });
const answers = z.object({
  budgets: z.array(
    z.object({ currency_format: listBudgets.output.shape.budgets.element.shape.currency_format }),
  ),
  category_groups: z.array(z.object({ categories: z.array(category) })),
  accounts: z.array(account),
});

test('the demo asks six questions, logs a transaction and deletes it again, and says how to connect', async () => {
  // The demo data depends only on the date, so another service has the same answers.
  const service = await startService({ clock: systemClock });
  const get = async (path: string) => {
    const response = await fetch(`${service.baseUrl}${path}?access_token=${service.accessToken}`);
    return z.object({ data: z.record(z.string(), z.unknown()) }).parse(await response.json()).data;
  };
  const budgetId = service.user.ledgers[0]?.id;
  const household = answers.parse({
    ...(await get('/budgets')),
    ...(await get(`/budgets/${budgetId}/categories`)),
    ...(await get(`/budgets/${budgetId}/accounts`)),
  });
  await service.close();

  const { stdout, stderr } = await run(process.execPath, [program, 'demo']);

  expect(stderr).toBe('');
  expect(stdout.match(/^▸ /gm)).toHaveLength(6 + 3);
  const categories = household.category_groups.flatMap((group) => group.categories);
  const groceries = category.parse(categories.find(({ name }) => name === 'Groceries'));
  const money = plainAmounts(household.budgets[0]?.currency_format ?? null);
  expect(stdout).toContain(`left ${money(groceries.balance)} · budgeted ${money(groceries.budgeted)}`);

  const checking = account.parse(household.accounts.find(({ name }) => name === 'Checking'));
  const [before, after] = [money(checking.balance), money(checking.balance - 4_500)];
  const [, keeping = ''] = stdout.split('▸ What is in my checking account?');
  const [balance = '', logged = '', deleted = ''] = keeping.split('▸ ');
  expect(balance).toContain(`balance ${before}`);
  expect(logged).toContain(`Account "Checking" has ${after} now.`);
  expect(deleted).toContain('? Delete transaction in "Household"?');
  const forPeople = moneyFormatter(household.budgets[0]?.currency_format ?? null);
  const [now, afterwards] = [forPeople(checking.balance - 4_500), forPeople(checking.balance)];
  expect(deleted).toContain(`Account "Checking": now ${now}, afterwards ${afterwards}.`);
  expect(deleted).toContain('agrees on your behalf');
  expect(deleted).toContain(`Account "Checking" has ${before} now.`);

  const connect = JSON.parse(stdout.slice(stdout.indexOf('{\n')));
  expect(connect.mcpServers.budget).toEqual({
    command: process.execPath,
    args: [program, 'serve', '--demo'],
  });
});

test('the demo has no colours if its output is a pipe', async () => {
  const { stdout } = await run(process.execPath, [program, 'demo']);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test checks that there is no escape sequence
  expect(stdout).not.toMatch(/\u001b\[/);
});
