import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { plainAmounts } from '../../../src/answers/units.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { listBudgets } from '../../../src/operations/budgets.ts';
import { startService } from '../../../src/service/server.ts';
import { readDocument } from '../../documents.ts';
import { program } from '../../hosts.helper.ts';

const run = promisify(execFile);

const category = z.object({ name: z.string(), balance: z.number(), budgeted: z.number() });
const account = z.object({ name: z.string(), balance: z.number() });
const answers = z.object({
  budgets: z.array(
    z.object({ currency_format: listBudgets.output.shape.budgets.element.shape.currency_format }),
  ),
  category_groups: z.array(z.object({ categories: z.array(category) })),
  accounts: z.array(account),
});

/** The household of the demo. Its data depend only on the date, so another service has the same. */
async function household() {
  const service = await startService({ clock: systemClock });
  const get = async (path: string) => {
    const response = await fetch(`${service.baseUrl}${path}?access_token=${service.accessToken}`);
    return z.object({ data: z.record(z.string(), z.unknown()) }).parse(await response.json()).data;
  };
  const budgetId = service.user.ledgers[0]?.id;
  const found = answers.parse({
    ...(await get('/budgets')),
    ...(await get(`/budgets/${budgetId}/categories`)),
    ...(await get(`/budgets/${budgetId}/accounts`)),
  });
  await service.close();
  return found;
}

const questionsIn = (text: string) => text.match(/^▸ .*$/gm);

test('the demo has the conversation of the README, with whole answers, in at most 60 lines', async () => {
  const { budgets, category_groups, accounts } = await household();

  const { stdout, stderr } = await run(process.execPath, [program, 'demo']);

  expect(stderr).toBe('');
  expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(60);
  expect(questionsIn(stdout)).toEqual(questionsIn(readDocument('README.md')));
  expect(stdout).not.toContain('…');
  const money = plainAmounts(budgets[0]?.currency_format ?? null);
  const categories = category_groups.flatMap((group) => group.categories);
  const groceries = category.parse(categories.find(({ name }) => name === 'Groceries'));
  const overspent = categories.filter(({ balance }) => balance < 0).toSorted((a, b) => a.balance - b.balance);
  const checking = account.parse(accounts.find(({ name }) => name === 'Checking'));
  const [, left = '', covered = '', , logged = ''] = stdout.split('\n▸ ');
  expect(left).toContain(`left ${money(groceries.balance)} · budgeted ${money(groceries.budgeted)}`);
  const worst = overspent.find(({ name }) => covered.includes(`"to":"${name}"`));
  expect(covered).toContain(`Moved ${money(-(worst?.balance ?? 0))} from "New Bicycle" to "${worst?.name}"`);
  expect(logged).toContain(`Account "Checking" has ${money(checking.balance - 4_500)} now.`);

  const connect = JSON.parse(stdout.slice(stdout.indexOf('{"mcpServers"')));
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
