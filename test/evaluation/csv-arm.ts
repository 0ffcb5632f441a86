/** The arm without our tools: the budget as CSV files in a folder, and a Python prompt there. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ToolAnswer, Tools } from './arms.ts';
import { type Export, linesOf } from './export.ts';

const TIMEOUT_MS = 60_000;
const MAX_LENGTH = 30_000;

type Row = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Writes a file for each table. Amounts are in currency units. */
export function writeCsv(folder: string, budget: Export): void {
  for (const [name, rows] of Object.entries(tables(budget))) {
    const lines = [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row).map(cell))];
    writeFileSync(join(folder, `${name}.csv`), `${lines.map((line) => line.join(',')).join('\n')}\n`);
  }
}

function cell(value: Row[string]): string {
  const plain = String(value ?? '');
  return /[",\n\r]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

const units = (milliunits: number) => (milliunits / 1_000).toFixed(2);

function tables(budget: Export): Readonly<Record<string, readonly Row[]>> {
  const nameOf = (rows: readonly { readonly id: string; readonly name: string }[]) => {
    const names = new Map(rows.map(({ id, name }) => [id, name]));
    return (id: string | null) => (id === null ? null : names.get(id));
  };
  const account = nameOf(budget.accounts);
  const payee = nameOf(budget.payees);
  const category = nameOf(budget.categories);
  const group = nameOf(budget.categories.map(({ id, category_group_name: name }) => ({ id, name })));
  return {
    accounts: budget.accounts.map(({ name, type, on_budget, closed, balance, cleared_balance, note }) => ({
      name,
      type,
      on_budget,
      closed,
      balance: units(balance),
      cleared_balance: units(cleared_balance),
      note,
    })),
    months: budget.months.map(({ month, income, budgeted, activity, to_be_budgeted, age_of_money }) => ({
      month: month.slice(0, 7),
      income: units(income),
      budgeted: units(budgeted),
      activity: units(activity),
      to_be_budgeted: units(to_be_budgeted),
      age_of_money,
    })),
    categories: budget.months.flatMap(({ month, categories }) =>
      categories.map((each) => ({
        month: month.slice(0, 7),
        group: each.category_group_name,
        category: each.name,
        hidden: each.hidden,
        budgeted: units(each.budgeted),
        activity: units(each.activity),
        balance: units(each.balance),
        goal_type: each.goal_type,
        goal_target: each.goal_target === null ? null : units(each.goal_target),
        goal_target_date: each.goal_target_date,
        goal_under_funded: each.goal_under_funded === null ? null : units(each.goal_under_funded),
      })),
    ),
    // A split has a row for each of its lines.
    transactions: budget.transactions.flatMap((each) => {
      const lines = linesOf(budget, each);
      return (lines.length > 0 ? lines : [each]).map((line) => ({
        transaction: each.id,
        date: each.date,
        account: account(each.account_id),
        payee: payee(line.payee_id ?? each.payee_id),
        group: group(line.category_id),
        category: category(line.category_id),
        memo: line.memo ?? each.memo,
        amount: units(line.amount),
        transfer_account: account(line.transfer_account_id),
        cleared: each.cleared,
        approved: each.approved,
        flag: each.flag_color,
      }));
    }),
    scheduled: budget.scheduled_transactions.map((each) => ({
      date_next: each.date_next,
      frequency: each.frequency,
      account: account(each.account_id),
      payee: payee(each.payee_id),
      category: category(each.category_id),
      memo: each.memo,
      amount: units(each.amount),
      transfer_account: account(each.transfer_account_id),
    })),
  };
}

/** The files have to be in the folder. */
export function csvTools(folder: string): Tools {
  const files = readdirSync(folder).map((name) => {
    const [columns] = readFileSync(join(folder, name), 'utf8').split('\n');
    return `${name}: ${columns}`;
  });
  const description =
    'Runs Python 3 and returns what it prints. The working folder has an export of the budget as CSV files.';
  return {
    tools: [
      {
        name: 'python',
        description: [description, ...files].join('\n'),
        inputSchema: {
          type: 'object',
          properties: { code: { type: 'string' } },
          required: ['code'],
          additionalProperties: false,
        },
      },
    ],
    call: async (name, args) =>
      name === 'python'
        ? runPython(String(args['code']), folder)
        : { text: `There is no tool ${name}.`, isError: true },
  };
}

async function runPython(code: string, cwd: string): Promise<ToolAnswer> {
  const env = { PATH: process.env['PATH'] ?? '', TZ: 'UTC' };
  const python = spawn('python3', ['-'], { cwd, env, timeout: TIMEOUT_MS });
  const ended = new Promise<number | null>((resolve) => python.on('close', resolve));
  python.stdin.end(code);
  const [output, errors, exitCode] = await Promise.all([text(python.stdout), text(python.stderr), ended]);
  return { text: (output + errors).slice(0, MAX_LENGTH), isError: exitCode !== 0 };
}
