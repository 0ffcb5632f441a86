/**
 * An assistant that enters, changes and deletes rows of its own one after the other, and reads them. It repeats an equal call
 * as long as the answer is no success, as assistants do. Sometimes it does not wait for an answer, and makes the outcome wrong
 * before it repeats the call.
 */
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import type { Random } from '../../src/service/demo-data/random.ts';
import { mark } from '../fault-soak/history.helper.ts';
import type { Called } from '../hosts.helper.ts';
import { type Attempt, type Finding, findings, judge, type Wish } from './judgement.helper.ts';
import {
  changePlan,
  exportOf,
  type Overtaking,
  type OwnRow,
  type Planned,
  statementPlan,
  undoOf,
  withRow,
} from './overtaking.helper.ts';
import type { Place } from './place.helper.ts';
import { fieldsOf, newRow, type RowFields, textOf } from './row-fields.helper.ts';
import { statementOf } from './statement.helper.ts';
import type { Truth } from './truth.helper.ts';

/** The server answers within ten seconds. */
const CALL_TIMEOUT_MS = 20_000;
/** How often one that does not wait for an answer looks at the service. */
const LOOK_MS = 10;
const REPEAT_AFTER_MS = [500, 1_000, 2_000, 5_000] as const;
const MOST_ATTEMPTS = 12;
/** After so many answers that a call changed nothing, a person gives up. */
const MOST_REFUSALS = 5;

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
  readonly place: Pick<Place, 'windows' | 'call' | 'putStatement'>;
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
    overtaken: 0,
    'taken back': 0,
    'changed later': 0,
    'exported again': 0,
    reads: 0,
    'stale reads': 0,
    'unanswered reads': 0,
  };
  readonly #options: AssistantOptions;
  readonly #rows: OwnRow[] = [];
  readonly #wishes: {
    readonly wish: Wish & { attempts: Attempt[] };
    plan: Planned;
    readonly since: number;
  }[] = [];
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
      await this.#fulfil(await this.#nextWish());
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
      if (last) last.doneUntilNext = this.#timesDone(plan);
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

  async #nextWish(): Promise<Planned> {
    const { random, truth, place } = this.#options;
    const settled = this.#rows.filter(({ allowed }) => allowed.length === 1 && allowed[0] !== undefined);
    const target = settled[random.integer(0, settled.length - 1)];
    const fields = target?.allowed[0];
    const memo = this.#newMemo();
    if (place.putStatement && random.chance(0.15)) {
      const plan = statementPlan(truth, memo, this.#number);
      await place.putStatement(exportOf(plan));
      return plan;
    }
    if (!target || !fields || random.chance(0.6)) {
      // The service takes an import once, and entries beside it again.
      const rows = random.chance(0.3)
        ? [memo, this.#newMemo()].map((each) => newRow(random, each, truth.today))
        : [newRow(random, memo, truth.today, this.#number)];
      const accounts = new Map(truth.history.current('account').map(({ id, name }) => [name, id]));
      return {
        tool: 'create_transactions',
        args: { transactions: rows.map(({ args }) => args) },
        text: `"${memo}"`,
        marks: rows.map(({ fields }) => mark.created(fields.memo, accounts.get(fields.account))),
        rows: new Map(rows.map(({ fields }) => [`${fields.memo}`, fields])),
        targets: [],
        ...(rows.every(({ fields }) => fields.import_id === null) && { overtakenBy: 'taken back' }),
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
    return { ...changePlan(random, target, fields, memo), overtakenBy: 'changed later' };
  }

  /** Another one for each memo of all assistants. */
  get #number(): number {
    return this.#options.nth * 100_000 + this.#memos;
  }

  #newMemo(): string {
    this.#memos += 1;
    return `a${this.#options.nth}r${`${this.#memos}`.padStart(5, '0')}`;
  }

  /** Whether an answer says that it is written, as it has to be. */
  async #fulfil(planned: Planned): Promise<boolean> {
    const { random, nth, place } = this.#options;
    const { tool, rows } = planned;
    const isRepeatable =
      tool === 'create_transactions' && [...rows.values()].every((row) => row.import_id === null);
    const attempts: Attempt[] = [];
    const wanted = { wish: { isRepeatable, attempts }, plan: planned, since: performance.now() };
    this.#wishes.push(wanted);
    this.counts.wishes += 1;
    for (let window = nth % place.windows; ; ) {
      this.#current = { text: planned.text, window };
      const attempt = await this.#attempt(wanted.plan, window);
      attempts.push(attempt);
      this.counts[attempt.outcome] += 1;
      const refusals = attempts.filter(({ outcome }) => outcome === 'not written').length;
      const isOver = attempts.length >= MOST_ATTEMPTS || refusals >= MOST_REFUSALS;
      if (attempt.outcome === 'written' || isOver || performance.now() > this.#patientUntil) break;
      await setTimeout(REPEAT_AFTER_MS[Math.min(attempts.length, REPEAT_AFTER_MS.length) - 1]);
      if (random.chance(0.5)) window = random.integer(0, place.windows - 1);
      if (attempt.outcome === 'unknown' && this.#timesDone(wanted.plan) > 0) {
        const overtaken = await this.#overtake(wanted.plan, window);
        // It is not known what an equal call should do.
        if (!overtaken) break;
        wanted.plan = overtaken;
      }
      attempt.doneUntilNext = this.#timesDone(wanted.plan);
    }
    const isWritten = attempts.at(-1)?.outcome === 'written';
    this.#remember(wanted.plan, isWritten);
    return isWritten;
  }

  /** The plan that an equal call has then, which is the same if there is nothing to overtake. Undefined if that is not known. */
  async #overtake({ overtakenBy, ...plan }: Planned, window: number): Promise<Planned | undefined> {
    const { truth, place, random } = this.#options;
    if (!overtakenBy) return plan;
    const [target] = plan.targets;
    const [fields] = plan.rows.values();
    const overtaken = { ...plan, isOvertaken: true };
    if (overtakenBy === 'exported again') {
      const memo = this.#newMemo();
      const exported = withRow(overtaken, truth, memo, this.#number);
      await place.putStatement?.(exportOf(exported));
      return this.#counted(overtakenBy, exported);
    }
    if (target && fields) {
      const later = changePlan(random, target, fields, this.#newMemo());
      return (await this.#fulfil(later)) ? this.#counted(overtakenBy, overtaken) : undefined;
    }
    const write = await this.#listed(plan, window);
    // It is not in the list yet.
    if (write === undefined) return { ...plan, overtakenBy };
    const isTakenBack = await this.#fulfil(undoOf(plan, truth, write));
    return isTakenBack ? this.#counted(overtakenBy, { ...overtaken, takenBack: 1 }) : undefined;
  }

  #counted(overtaking: Overtaking, overtaken: Planned): Planned {
    this.counts[overtaking] += 1;
    return overtaken;
  }

  /** The id of a creation in `list_writes`, by its amounts. */
  async #listed({ tool, rows }: Planned, window: number): Promise<string | undefined> {
    const answer = await this.#options.place.call(window, 'list_writes', {}, CALL_TIMEOUT_MS);
    if (answer instanceof Error) return undefined;
    const texts = [tool, ...[...rows.values()].map(({ amount }) => (amount / 1_000).toFixed(2))];
    const line = answer.text.split('\n').find((each) => texts.every((text) => each.includes(` ${text} `)));
    return line?.split(' · ', 1)[0];
  }

  #timesDone({ marks, takenBack = 0 }: Planned): number {
    return this.#options.truth.timesDone(marks) - takenBack;
  }

  /** What the service may have from now on. */
  #remember({ marks, rows, targets }: Planned, isWritten: boolean): void {
    const { history } = this.#options.truth;
    const [fields] = rows.values();
    for (const target of targets) target.allowed = isWritten ? [fields] : [...target.allowed, fields];
    if (targets.length > 0 || !isWritten) return;
    for (const [nth, row] of [...rows.values()].entries()) {
      const id = history.marks(marks[nth] ?? '').at(-1)?.id;
      if (id !== undefined) this.#rows.push({ id, allowed: [row] });
    }
  }

  async #attempt(plan: Planned, window: number): Promise<Attempt> {
    const { nth, log, place, random } = this.#options;
    const { isOvertaken = false } = plan;
    this.counts.calls += 1;
    const answering = new AbortController();
    const leaving = new AbortController();
    const isImpatient = plan.overtakenBy && random.chance(0.4);
    const leave = isImpatient && this.#leaveOnceDone(plan, leaving, answering.signal);
    const { tool, args } = plan;
    const answer = await place.call(window, tool, args, CALL_TIMEOUT_MS, leaving.signal);
    answering.abort();
    await leave;
    const { saysOvertaken, ...statement } = statementOf(answer);
    const done = this.#timesDone(plan);
    const memos = [...plan.rows.keys(), ...plan.targets.map(({ id }) => id)].join();
    log(
      `a${nth} ${tool} ${memos} by program ${window}, done ${done}: ${statement.text.replaceAll('\n', ' ').slice(0, 400)}`,
    );
    const agrees = statement.outcome !== 'written' || this.#agrees(plan, answer);
    const outcome = isOvertaken && saysOvertaken && !agrees ? 'overtaken' : statement.outcome;
    return { ...statement, outcome, isOvertaken, doneAtAnswer: done, doneUntilNext: done, agrees };
  }

  /** The outcome does not arrive, although the service has carried it out. */
  async #leaveOnceDone(plan: Planned, leaving: AbortController, answered: AbortSignal): Promise<void> {
    while (!answered.aborted && this.#timesDone(plan) === 0) await setTimeout(LOOK_MS);
    leaving.abort();
  }

  /** The service has all rows as they have to be, and those of the answer are so too. */
  #agrees({ tool, rows, marks, targets }: Planned, answer: Called | Error): boolean {
    const { truth } = this.#options;
    if (rows.size === 0) return targets.every(({ id }) => truth.row(id) === undefined);
    const stored = marks.map((name) => truth.row(truth.history.marks(name).at(-1)?.id ?? ''));
    const shown = answer instanceof Error ? [] : shownRows.parse(answer.structured);
    const all = [...stored, ...shown.map((row) => fieldsOf(row, 1_000))];
    const isShown = shown.length === rows.size || tool === 'enter_statement';
    return isShown && all.every((row) => row && isAmong(row, [rows.get(`${row.memo}`)]));
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
