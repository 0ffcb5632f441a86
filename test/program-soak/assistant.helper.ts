/**
 * An assistant that enters, changes and deletes rows of its own one after the other, and reads them. It repeats an equal call
 * as long as the answer is no success, as assistants do.
 */
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import type { Random } from '../../src/service/demo-data/random.ts';
import { mark } from '../fault-soak/history.helper.ts';
import type { Called } from '../hosts.helper.ts';
import { type Attempt, type Finding, findings, judge, type Wish } from './judgement.helper.ts';
import type { Place } from './place.helper.ts';
import { changedRow, fieldsOf, newRow, type RowFields, textOf } from './row-fields.helper.ts';
import { statementOf } from './statement.helper.ts';
import type { Truth } from './truth.helper.ts';

/** The server answers within ten seconds. */
const CALL_TIMEOUT_MS = 20_000;
const REPEAT_AFTER_MS = [500, 1_000, 2_000, 5_000] as const;
const MOST_ATTEMPTS = 12;
/** After so many answers that a call changed nothing, a person gives up. */
const MOST_REFUSALS = 5;

/** A row of the assistant. `allowed` has what the service may have of it; undefined stands for a deleted row. */
interface OwnRow {
  readonly id: string;
  allowed: readonly (RowFields | undefined)[];
}

interface Planned {
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
}

/** One row comes alone. */
const shownRows = z
  .object({ transaction: z.unknown().optional(), transactions: z.array(z.unknown()).default([]) })
  .transform(({ transaction, transactions }) => (transaction ? [transaction] : transactions));
const found = z.object({
  transactions: z.array(z.looseObject({ id: z.string() })),
  freshness: z.object({ stale_reason: z.string().optional() }),
});

export interface AssistantOptions {
  readonly nth: number;
  readonly random: Random;
  readonly place: Pick<Place, 'windows' | 'call'>;
  readonly truth: Truth;
  /** Before a wish. */
  readonly longestPauseMs: number;
  /** Called with each call and its answer. */
  readonly log: (line: string) => void;
  readonly onFinding: (finding: Finding, count: number, what: string, since: number) => void;
}

export class Assistant {
  readonly counts = {
    wishes: 0,
    calls: 0,
    written: 0,
    'not written': 0,
    unknown: 0,
    reads: 0,
    'stale reads': 0,
    'unanswered reads': 0,
  };
  readonly #options: AssistantOptions;
  readonly #rows: OwnRow[] = [];
  readonly #wishes: { wish: Wish & { attempts: Attempt[] }; plan: Planned; since: number }[] = [];
  #memos = 0;
  #patientUntil = Number.POSITIVE_INFINITY;
  /** The call that is under way or was the last one. */
  #current: { readonly text: string; readonly window: number } | undefined;

  constructor(options: AssistantOptions) {
    this.#options = options;
  }

  async work(isOver: () => boolean): Promise<void> {
    const { random, longestPauseMs } = this.#options;
    while (!isOver()) {
      await setTimeout(random.integer(0, longestPauseMs));
      await this.#fulfil(this.#nextWish());
      if (random.chance(0.7)) await this.#read();
    }
  }

  /** From now on it repeats a wish for so long at most. */
  limitPatience(milliseconds: number): void {
    this.#patientUntil = performance.now() + milliseconds;
  }

  /** The program that has sent this request to the service for this assistant. */
  windowOf(request: string): number | undefined {
    return this.#current && request.includes(this.#current.text) ? this.#current.window : undefined;
  }

  /** Compares everything with the service at the end. */
  judge(): void {
    const { truth, onFinding } = this.#options;
    for (const { wish, plan, since } of this.#wishes) {
      const last = wish.attempts.at(-1);
      if (last) last.doneUntilNext = truth.timesDone(plan.marks);
      const { tool, args } = plan;
      const judgement = judge(wish);
      for (const finding of findings)
        if (judgement[finding] > 0)
          onFinding(finding, judgement[finding], `${tool} ${JSON.stringify(args)}`, since);
    }
    for (const { id, allowed } of this.#rows) {
      const row = truth.row(id);
      if (!isAmong(row, allowed))
        onFinding('lost', 1, `${id} is ${JSON.stringify(row)} and should be ${JSON.stringify(allowed)}`, 0);
    }
  }

  #nextWish(): Planned {
    const { random, truth, nth } = this.#options;
    const settled = this.#rows.filter(({ allowed }) => allowed.length === 1 && allowed[0] !== undefined);
    const target = settled[random.integer(0, settled.length - 1)];
    const fields = target?.allowed[0];
    const memo = this.#newMemo();
    if (!target || !fields || random.chance(0.6)) {
      // The service takes an import once, and entries beside it again.
      const rows = random.chance(0.3)
        ? [memo, this.#newMemo()].map((each) => newRow(random, each, truth.today))
        : [newRow(random, memo, truth.today, nth * 100_000 + this.#memos)];
      const accounts = new Map(truth.history.current('account').map(({ id, name }) => [name, id]));
      return {
        tool: 'create_transactions',
        args: { transactions: rows.map(({ args }) => args) },
        text: `"${memo}"`,
        marks: rows.map(({ fields }) => mark.created(fields.memo, accounts.get(fields.account))),
        rows: new Map(rows.map(({ fields }) => [`${fields.memo}`, fields])),
        targets: [],
      };
    }
    const { id } = target;
    if (random.chance(0.2))
      return {
        tool: 'delete_transaction',
        args: { transaction_id: id },
        text: id,
        marks: [mark.deleted(id)],
        rows: new Map(),
        targets: [target],
      };
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

  #newMemo(): string {
    this.#memos += 1;
    return `a${this.#options.nth}r${`${this.#memos}`.padStart(5, '0')}`;
  }

  async #fulfil(plan: Planned): Promise<void> {
    const { random, nth, truth, place } = this.#options;
    const isRepeatable =
      plan.tool === 'create_transactions' && [...plan.rows.values()].every((row) => row.import_id === null);
    const wish = { isRepeatable, attempts: [] as Attempt[] };
    this.#wishes.push({ wish, plan, since: performance.now() });
    this.counts.wishes += 1;
    for (let window = nth % place.windows; ; ) {
      this.#current = { text: plan.text, window };
      const attempt = await this.#attempt(plan, window);
      wish.attempts.push(attempt);
      this.counts[attempt.outcome] += 1;
      const { attempts } = wish;
      const refusals = attempts.filter(({ outcome }) => outcome === 'not written').length;
      const isOver = attempts.length >= MOST_ATTEMPTS || refusals >= MOST_REFUSALS;
      if (attempt.outcome === 'written' || isOver || performance.now() > this.#patientUntil) break;
      await setTimeout(REPEAT_AFTER_MS[Math.min(attempts.length, REPEAT_AFTER_MS.length) - 1]);
      if (random.chance(0.5)) window = random.integer(0, place.windows - 1);
      attempt.doneUntilNext = truth.timesDone(plan.marks);
    }
    this.#remember(plan, wish.attempts.at(-1)?.outcome === 'written');
  }

  /** What the service may have from now on. */
  #remember({ marks, rows, targets }: Planned, isWritten: boolean): void {
    const { history } = this.#options.truth;
    const [fields] = rows.values();
    for (const target of targets) target.allowed = isWritten ? [fields] : [...target.allowed, fields];
    if (targets.length > 0 || !isWritten) return;
    for (const [nth, row] of [...rows.values()].entries()) {
      const id = history.marks(marks[nth] ?? '')[0]?.id;
      if (id !== undefined) this.#rows.push({ id, allowed: [row] });
    }
  }

  async #attempt(plan: Planned, window: number): Promise<Attempt> {
    const { truth, nth, log, place } = this.#options;
    this.counts.calls += 1;
    const answer = await place.call(window, plan.tool, plan.args, CALL_TIMEOUT_MS);
    const statement = statementOf(answer);
    const done = truth.timesDone(plan.marks);
    const memos = [...plan.rows.keys(), ...plan.targets.map(({ id }) => id)].join();
    log(
      `a${nth} ${plan.tool} ${memos} by program ${window}, done ${done}: ${statement.text.replaceAll('\n', ' ').slice(0, 400)}`,
    );
    const agrees = statement.outcome !== 'written' || this.#agrees(plan, answer);
    return { ...statement, doneAtAnswer: done, doneUntilNext: done, agrees };
  }

  /** The service has all rows as they have to be, and those of the answer are so too. */
  #agrees({ rows, marks, targets }: Planned, answer: Called | Error): boolean {
    const { truth } = this.#options;
    if (rows.size === 0) return targets.every(({ id }) => truth.row(id) === undefined);
    const stored = marks.map((name) => truth.row(truth.history.marks(name)[0]?.id ?? ''));
    const shown = answer instanceof Error ? [] : shownRows.parse(answer.structured);
    const all = [...stored, ...shown.map((row) => fieldsOf(row, 1_000))];
    return shown.length === rows.size && all.every((row) => row && isAmong(row, [rows.get(`${row.memo}`)]));
  }

  async #read(): Promise<void> {
    const { random, truth, nth, place, onFinding } = this.#options;
    const settled = this.#rows.filter(({ allowed }) => allowed.length === 1);
    const row = settled[random.chance(0.7) ? settled.length - 1 : random.integer(0, settled.length - 1)];
    if (!row) return;
    const { id } = row;
    const before = truth.row(id);
    const memo = before?.memo ?? undefined;
    const since = performance.now();
    const args = { ...(memo && { text: memo }), limit: 100 };
    const answer = await place.call(nth % place.windows, 'find_transactions', args, CALL_TIMEOUT_MS);
    if (answer instanceof Error || answer.isError) {
      this.counts['unanswered reads'] += 1;
      return;
    }
    const { transactions, freshness } = found.parse(answer.structured);
    if (freshness.stale_reason !== undefined) {
      this.counts['stale reads'] += 1;
      return;
    }
    this.counts.reads += 1;
    const shown = transactions.find((each) => each.id === id);
    const fields = shown && fieldsOf(shown, 1_000);
    if (isAmong(fields, [before, truth.row(id)])) return;
    const what = `${JSON.stringify(fields)}, and the service has ${JSON.stringify(before)}: ${answer.text}`;
    onFinding('olderThanOwnWrite', 1, what, since);
  }
}

const textOrNothing = (row: RowFields | undefined) => row && textOf(row);

const isAmong = (row: RowFields | undefined, allowed: readonly (RowFields | undefined)[]) =>
  allowed.some((each) => textOrNothing(each) === textOrNothing(row));
