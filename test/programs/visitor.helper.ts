/**
 * A person with an assistant, which is a client of an official SDK: it asks, writes, and goes on after errors as assistants
 * do. Every answer is compared with what the budgeting service has of this person.
 */
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { errorTable } from '../../src/base/errors.ts';
import { type Called, eras, type Host } from '../hosts.helper.ts';
import type { KeptSignIn } from './kept-sign-in.helper.ts';
import { type OwnRows, WRITTEN } from './own-rows.helper.ts';
import type { VisitorReport } from './visitor-report.helper.ts';

export type Era = (typeof eras)[number][0];

export interface VisitorOptions {
  readonly nth: number;
  /** Among those who take part. Every second one has a host of the older era. */
  readonly place: number;
  readonly url: string;
  readonly signIn: KeptSignIn;
  readonly rows: OwnRows;
  readonly report: VisitorReport;
  /** Sent with each request, for the address of the person. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A failed call, with what the client knows about the reason. */
class FailedCall extends Error {
  readonly kind: string;
  /** The write was certainly not carried out. */
  readonly isNotWritten: boolean;

  constructor(kind: string, isNotWritten = false) {
    super(kind);
    this.kind = kind;
    this.isNotWritten = isNotWritten;
  }
}

interface PendingWrite {
  readonly amount: number;
  readonly date: string;
  /** It was sent before, and its outcome is not known. */
  isRepeat: boolean;
}

const CALL_TIMEOUT_MS = 30_000;
const RETRY_AFTER_MS = 1_000;
const withFreshness = z.object({ freshness: z.object({ requests_left: z.int() }) });
/**
 * A renewed token, or a server that ends or comes back, can move a host to another server while it begins again. That may go
 * on while servers are killed. `recover` then asks for right answers.
 */
const ATTEMPTS = 10;
const codes = Object.entries(errorTable).toSorted(([, a], [, b]) => b.advice.length - a.advice.length);

export class Visitor {
  readonly era: Era;
  readonly #options: VisitorOptions;
  readonly #connect: (typeof eras)[number][1];
  #host: Host | undefined;
  /** The last POST that was refused, and why a client cannot go on with its connection. */
  #refusal: string | undefined;
  #isConnectionOver = false;
  /** Whether a server that does not have the session has refused the call, which was not begun. */
  #isUnknownSession = false;
  #pending: PendingWrite | undefined;
  /** What the last answer said about the requests of this hour. */
  #requestsLeft: number | undefined;
  /** Whether no request to the service was needed for the last answer. */
  #isFromCache = false;

  constructor(options: VisitorOptions) {
    this.#options = options;
    [this.era, this.#connect] = eras[options.place % 2 === 0 ? 0 : 1];
  }

  get nth(): number {
    return this.#options.nth;
  }

  /** Asks something. Returns whether there was a right answer. */
  ask(turn: number, answerMs = this.#options.report.answerMs[this.era]): Promise<boolean> {
    const { report } = this.#options;
    return this.#attempt(async () => {
      const isMeanwhile = report.isSomebodyArriving && answerMs !== report.firstMs;
      const start = performance.now();
      const check = await steps[turn % steps.length]?.(this);
      const tookMs = performance.now() - start;
      answerMs.push(tookMs);
      if (isMeanwhile) report.meanwhileMs.push(tookMs);
      if (isMeanwhile && this.#isFromCache) report.meanwhileCachedMs.push(tookMs);
      check?.(this.#options.rows);
    });
  }

  /** Writes something, or repeats what is not known. Returns whether it was answered. */
  write(answerMs = this.#options.report.answerMs[this.era]): Promise<boolean> {
    const { rows, report } = this.#options;
    const pending = this.#pending ?? this.#nextWrite();
    this.#pending = pending;
    const { amount, date, isRepeat } = pending;
    pending.isRepeat = true;
    if (isRepeat) report.repeats += 1;
    else report.writes += 1;
    rows.note(amount, 'unknown', 'called');
    return this.#attempt(async () => {
      const start = performance.now();
      const transaction = {
        account_id: WRITTEN.account,
        date,
        amount: amount / 1_000,
        payee_name: WRITTEN.payee,
      };
      try {
        const { structured } = await this.answered('create_transactions', { transactions: [transaction] });
        rows.checkWritten(structured, amount);
      } catch (error) {
        // A repeated call that was not sent says nothing about the first one.
        const isFailed = error instanceof FailedCall && error.isNotWritten && !isRepeat;
        rows.note(amount, isFailed ? 'failed' : 'unknown', String(error));
        if (isFailed) this.#pending = undefined;
        throw error;
      }
      rows.note(amount, 'done');
      this.#pending = undefined;
      answerMs.push(performance.now() - start);
    });
  }

  /** Asks everything and repeats the last write, until all is answered. False if that takes longer than `withinMs`. */
  async recover(withinMs: number): Promise<boolean> {
    const { report } = this.#options;
    const start = performance.now();
    const { afterwardsMs } = report;
    const work = [() => this.#settle(), ...steps.map((_, turn) => () => this.ask(turn, afterwardsMs))];
    for (let next = work.shift(); next; next = work.shift())
      while (!(await next())) {
        if (performance.now() - start > withinMs) return false;
        await setTimeout(RETRY_AFTER_MS);
      }
    report.recoveryMs.push(performance.now() - start);
    return true;
  }

  /** The access token ends. The client has to get another one. */
  expire(): void {
    this.#options.report.renewals += 1;
    this.#options.signIn.expire();
  }

  /** A write is waiting to be repeated. */
  get isUncertain(): boolean {
    return this.#pending !== undefined;
  }

  async close(): Promise<void> {
    await this.#host?.close();
  }

  async answered(name: string, args: Record<string, unknown> = {}): Promise<Called> {
    const called = await this.#called(name, args);
    if (called.isError) throw toolError(called.text);
    const left = withFreshness.safeParse(called.structured).data?.freshness.requests_left;
    this.#isFromCache = left !== undefined && left === this.#requestsLeft;
    this.#requestsLeft = left;
    return called;
  }

  /** If the session is not known any more, the host begins again, as the protocol asks for, and sends the call once more. */
  async #called(name: string, args: Record<string, unknown>, attempts = ATTEMPTS): Promise<Called> {
    this.#refusal = undefined;
    this.#isUnknownSession = false;
    try {
      const host = await this.#connected();
      return await host.call(name, args, { timeout: CALL_TIMEOUT_MS });
    } catch (error) {
      if (this.#isUnknownSession && attempts > 1) return this.#called(name, args, attempts - 1);
      throw new FailedCall(this.#refusal ?? kindOf(error));
    }
  }

  async #settle(): Promise<boolean> {
    return this.#pending === undefined || this.write(this.#options.report.afterwardsMs);
  }

  async #attempt(work: () => Promise<void>): Promise<boolean> {
    const { nth, report } = this.#options;
    try {
      await work();
      return true;
    } catch (error) {
      if (error instanceof FailedCall) report.error(nth, error.kind);
      else report.failed(nth, error);
      return false;
    }
  }

  async #connected(): Promise<Host> {
    if (this.#host && !this.#isConnectionOver) return this.#host;
    const { url, signIn, report } = this.#options;
    if (this.#host) {
      report.reconnections += 1;
      await this.#host.close().catch(() => {});
      this.#host = undefined;
    }
    const fetch = (input: string | URL, init?: RequestInit) => this.#fetch(input, init);
    const host = await this.#connect({ http: { url, fetch, authProvider: signIn } });
    host.client.onerror = (error) => {
      // The client of the older era gives up its stream after two attempts.
      if (error.message.includes('Maximum reconnection attempts')) this.#isConnectionOver = true;
    };
    this.#isConnectionOver = false;
    this.#host = host;
    return host;
  }

  async #fetch(input: string | URL, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(this.#options.headers)) headers.set(name, value);
    const response = await fetch(input, { ...init, headers });
    if (!response.ok && init.method === 'POST') {
      const isUnknown = response.status === 404;
      if (isUnknown) this.#isConnectionOver = true;
      // What notifications about a call get says nothing about the call.
      if (typeof init.body !== 'string' || isBegin(init.body)) {
        const after = response.headers.has('retry-after') ? ' with Retry-After' : '';
        this.#refusal = `HTTP ${response.status}${after}`;
        this.#isUnknownSession = isUnknown;
      }
    }
    return response;
  }

  /** No two writes of all people have the same amount. */
  #nextWrite(): PendingWrite {
    const amount = -(1_000_000 + this.nth * 1_000 + this.#options.rows.written) * 10;
    return { amount, date: new Date().toISOString().slice(0, 10), isRepeat: false };
  }
}

const steps: readonly ((visitor: Visitor) => Promise<(rows: OwnRows) => void>)[] = [
  async (visitor) => {
    const { structured } = await visitor.answered('list_accounts');
    return (rows) => rows.checkAccounts(structured);
  },
  async (visitor) => {
    const { structured, text } = await visitor.answered('list_transactions', { limit: 20 });
    return (rows) => rows.checkTransactions(structured, text);
  },
  async (visitor) => {
    const { structured } = await visitor.answered('list_payees');
    return (rows) => rows.checkPayees(structured);
  },
  async (visitor) => {
    const { structured } = await visitor.answered('list_categories');
    return (rows) => rows.checkCategories(structured);
  },
  async (visitor) => {
    const { structured } = await visitor.answered('get_user');
    return (rows) => rows.checkUser(structured);
  },
];

/**
 * A call, or the second message of a session: its server may have ended after the first one. Nothing was begun if it is
 * refused. Other notifications are about a call that may be under way.
 */
const isBegin = (message: string) =>
  !message.includes('"method":"notifications/') || message.includes('"method":"notifications/initialized"');

/** By the advice with which the text of the error ends. Earlier calls follow in further lines. */
function toolError(text: string): FailedCall {
  const [own = ''] = text.split('\n');
  const byAdvice = codes.find(([, { advice }]) => advice !== '' && own.endsWith(advice))?.[0];
  // It has the same advice as another one, or none.
  const code = own.includes('The storage of this server')
    ? 'storage_unavailable'
    : (byAdvice ?? (/nothing was sent/i.test(own) ? 'not_written' : undefined));
  const isNotWritten = text.startsWith('This call changed nothing.');
  return new FailedCall(code === undefined ? `tool: ${text}` : `tool: ${code}`, isNotWritten);
}

function kindOf(error: unknown): string {
  const text = error instanceof Error ? `${error.name} ${error.message} ${error.cause ?? ''}` : String(error);
  if (/timed out/i.test(text)) return 'no answer in time';
  if (/unauthorized/i.test(text)) return 'not signed in: the tokens could not be renewed';
  if (/fetch failed|terminated|socket|connection closed/i.test(text)) return 'connection lost';
  return text;
}
