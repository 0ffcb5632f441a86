/**
 * Reads files of a bank and compares lists with accounts while other calls go on: in one thread for the process, one after the
 * other. The thread starts with the first of them, and ends when it is idle. A file that takes too long or too much memory is refused.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { OVER, withTimeLimit } from '../../base/abort.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { invalidInput } from '../../base/errors.ts';
import type { Transaction } from '../../model/replica/entities.ts';
import { sumOf } from '../../model/sums/sum.ts';
import type { StatementFile } from '../../session/uploaded-statements.ts';
import { type BankRow, compareWithList, type ListComparison, nearList } from './bank-list.ts';
import type { BankAnswer, BankTask } from './bank-worker.ts';
import type { Statement } from './statements/read-statement.ts';

const MAX_SECONDS = 10;
/** Those that can be read take a quarter of it at most. */
const MAX_MB = 256;
/** Comparing so few takes a moment, and no call with an ordinary list waits for the files of others. */
const MAX_ROWS_HERE = 1_000;
const IDLE_SECONDS = 30;
/** In rows, for all callers: the longest file in each way in which it can be read, or thousands of short ones. */
const MAX_REMEMBERED = 100_000;

const tooMuch: BankAnswer = {
  problem: `The file takes more than ${MAX_SECONDS} seconds or ${MAX_MB} MB of memory. Export a shorter time, or fewer columns.`,
};

export class BankThread {
  readonly #clock: Clock;
  readonly #maxMb: number;
  #worker: Worker | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #idle = new AbortController();
  readonly #read = new LRUCache<string, BankAnswer>({ maxSize: MAX_REMEMBERED, sizeCalculation: sizeOf });

  constructor(clock: Clock, maxMb = MAX_MB) {
    this.#clock = clock;
    this.#maxMb = maxMb;
  }

  /** Resolves when the last task so far has ended. Another one makes a new promise. */
  get lastTask(): Promise<unknown> {
    return this.#last;
  }

  /** As `statementsIn`. For each caller the same version of a file is read once, also if it was refused. */
  async read(
    caller: string,
    file: StatementFile,
    ...how: readonly [today: string, digits?: number]
  ): Promise<readonly Statement[]> {
    const key = JSON.stringify([caller, file.name, await file.version(), how]);
    const readNow = async () => {
      const read = this.#read.get(key) ?? (await this.#run({ read: [file.name, await file.read(), ...how] }));
      this.#read.set(key, read);
      return read;
    };
    // A file that is known waits for no other one.
    const answer = this.#read.get(key) ?? (await this.#inTurn(readNow));
    if ('statements' in answer) return answer.statements;
    throw refusal(answer);
  }

  /** As `compareWithList`, perhaps with copies of the transactions. */
  async compare(
    rows: readonly BankRow[],
    transactions: readonly Transaction[],
  ): Promise<ListComparison<Transaction>> {
    if (rows.length <= MAX_ROWS_HERE) return compareWithList(rows, transactions);
    const near = nearList(rows, transactions);
    const answer = await this.#inTurn(() => this.#run({ compare: [rows, near] }));
    if ('comparison' in answer) return answer.comparison;
    throw refusal(answer);
  }

  #inTurn(work: () => Promise<BankAnswer>): Promise<BankAnswer> {
    const answer = this.#last.then(work);
    this.#last = answer.catch(() => {});
    return answer;
  }

  async #run(task: BankTask): Promise<BankAnswer> {
    this.#idle.abort(OVER);
    try {
      this.#worker ??= await this.#start();
      const worker = this.#worker;
      worker.ref();
      worker.postMessage(task);
      const answered = once(worker, 'message').then(([answer]): BankAnswer => answer);
      const answer = await withTimeLimit(this.#clock, MAX_SECONDS * 1_000, answered, () => tooMuch);
      if (answer === tooMuch) await this.#end();
      else this.#endWhenIdle(worker);
      return answer;
    } catch (error) {
      await this.#end();
      if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
        return tooMuch;
      throw error;
    }
  }

  /** Resolves when it has loaded its program: `bank-worker.js` beside this file, or the source, which tests run by tsx. */
  async #start(): Promise<Worker> {
    const options = { env: {}, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: this.#maxMb } };
    const isSource = import.meta.url.endsWith('.ts');
    const source = JSON.stringify(new URL('bank-worker.ts', import.meta.url));
    const load = `import('tsx/esm/api').then(({ register }) => { register(); return import(${source}); })`;
    const worker = isSource
      ? new Worker(load, { ...options, eval: true })
      : new Worker(new URL('bank-worker.js', import.meta.url), options);
    // An error of a thread without a task is none of a call. The end of one with a task is an error.
    worker.on('error', () => {});
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
      worker.emit('error', new Error('The thread has ended.'));
    });
    await once(worker, 'message');
    return worker;
  }

  /** Until then, the thread does not keep the program running. */
  #endWhenIdle(worker: Worker): void {
    worker.unref();
    this.#idle = new AbortController();
    this.#clock.sleep(IDLE_SECONDS * 1_000, this.#idle.signal, true).then(
      () => this.#end(),
      () => {},
    );
  }

  /** The next task starts another one. */
  async #end(): Promise<void> {
    await this.#worker?.terminate();
  }
}

const refusal = (answer: BankAnswer) => invalidInput('problem' in answer ? answer.problem : 'No answer.');

const sizeOf = (answer: BankAnswer): number =>
  'statements' in answer ? sumOf(answer.statements, ({ rows }) => rows.length) + 1 : 1;

/** That of the process. */
export const bankThread = new BankThread(systemClock);
