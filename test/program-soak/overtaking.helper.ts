/**
 * What an assistant wants, and what overtakes it after an outcome that did not arrive: an undo of the write, a later write of the
 * same row, or another export of the statement.
 */
import type { Random } from '../../src/service/demo-data/random.ts';
import { addDays } from '../../src/service/ledger/calendar.ts';
import { mark } from '../fault-soak/history.helper.ts';
import { changedRow, type RowFields } from './row-fields.helper.ts';
import type { Truth } from './truth.helper.ts';

/** A row of the assistant. `allowed` has what the service may have of it; undefined stands for a deleted row. */
export interface OwnRow {
  readonly id: string;
  allowed: readonly (RowFields | undefined)[];
}

export interface Planned {
  readonly tool: string;
  readonly args: Record<string, unknown>;
  /** A request to the service with this text is one of it. */
  readonly text: string;
  /** What the history shows of it. */
  readonly marks: readonly string[];
  /** As they have to be afterwards, by memo. */
  readonly rows: ReadonlyMap<string, RowFields>;
  /** Those that it changes. */
  readonly targets: readonly OwnRow[];
  /** How its outcome can be overtaken, once. */
  readonly overtakenBy?: Overtaking;
  readonly isOvertaken?: boolean;
  /** How often it was carried out and taken back. */
  readonly takenBack?: number;
}

export type Overtaking = 'taken back' | 'changed later' | 'exported again';

/** The file of a statement, as `--statements` has it. */
export interface StatementExport {
  readonly name: string;
  readonly content: string;
}

const ACCOUNT = 'Wallet';

/** Enters the rows of a statement. `number` is another one for each row, so that each day has one statement. */
export function statementPlan(truth: Truth, memo: string, number: number): Planned {
  const name = `${memo}.csv`;
  const plan = {
    tool: 'enter_statement',
    args: { account: ACCOUNT, statement: name },
    text: `"${memo}"`,
    marks: [],
    rows: new Map(),
    targets: [],
    overtakenBy: 'exported again',
  } as const;
  return withRow(plan, truth, memo, number);
}

export function exportOf({ args, rows }: Planned): StatementExport {
  const lines = [...rows.values()].map(({ date, memo, amount }) => `${date},${memo},${amount / 1_000}`);
  return { name: `${args['statement']}`, content: `${['Date,Payee,Amount', ...lines].join('\n')}\n` };
}

/** With another row in the same statement. */
export function withRow(
  { marks, rows, ...plan }: Planned,
  truth: Truth,
  memo: string,
  number: number,
): Planned {
  const account = truth.history.current('account').find(({ name }) => name === ACCOUNT);
  const [first] = rows.values();
  const date = first?.date ?? addDays(truth.today, -30 - (number % 1_000));
  const amount = -1_000_000 - 10 * number;
  const fields: RowFields = {
    account: ACCOUNT,
    date,
    amount,
    payee: null,
    category: null,
    memo,
    cleared: 'cleared',
    approved: false,
    flag_color: null,
    import_id: `YNAB:${amount}:${date}:1`,
    legs: [],
  };
  return {
    ...plan,
    marks: [...marks, mark.created(memo, account?.id)],
    rows: new Map([...rows, [memo, fields]]),
  };
}

/** Takes back a creation, which `write` is in `list_writes`. */
export function undoOf({ marks, rows }: Planned, { history }: Truth, write: string): Planned {
  const ids = marks.flatMap((name) => history.marks(name).at(-1)?.id ?? []);
  const fields = [...rows.values()];
  return {
    tool: 'undo',
    args: { write },
    text: ids[0] ?? '',
    marks: ids.map(mark.deleted),
    rows: new Map(),
    targets: ids.map((id, nth) => ({ id, allowed: [fields[nth]] })),
  };
}

export function changePlan(random: Random, target: OwnRow, fields: RowFields, memo: string): Planned {
  const { id } = target;
  const changed = changedRow(random, id, fields, memo);
  return {
    tool: 'update_transactions',
    args: { transactions: [changed.args] },
    text: id,
    marks: [mark.changed('transaction', id, 'memo', memo)],
    rows: new Map([[memo, changed.fields]]),
    targets: [target],
  };
}
