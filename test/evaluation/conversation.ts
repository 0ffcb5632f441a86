/** One conversation about a task: the household, what the model works with, what the person says, and the verdict. */
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { JsonObject } from '../../src/base/json.ts';
import { armOf, type ToolAnswer, type Tools } from './arms.ts';
import { changesBetween } from './changes.ts';
import { csvTools, writeCsv } from './csv-arm.ts';
import type { Export } from './export.ts';
import { type StartedHousehold, startHousehold } from './households.ts';
import { judge } from './judge.ts';
import { type StartedProgram, startProgram } from './program.ts';
import type { ArmName, RecordedInArm, Turn } from './recording.ts';
import { INSTRUCTIONS, type Task } from './task.ts';

/** A task and its name. */
export interface NamedTask {
  readonly id: string;
  readonly task: Task;
}

interface Parts {
  readonly household: StartedHousehold;
  readonly before: Export;
  /** Undefined in the arm `csv`. */
  readonly program: StartedProgram | undefined;
  readonly arm: Tools;
  /** Where the arm `csv` has its files. */
  readonly folder: string;
}

/** Amounts have two decimals. Times, ids and numbers of requests are left out, because a slow machine may change them. */
const amountsDigest = (text: string) =>
  createHash('sha256')
    .update((text.match(/(?<![\d.:])-?\d+\.\d{2}(?![\d])/g) ?? []).join(' '))
    .digest('hex')
    .slice(0, 8);

export class Conversation {
  readonly #named: NamedTask;
  readonly #armName: ArmName;
  readonly #parts: Parts;
  readonly #turns: Turn[] = [];
  #calls: Turn['calls'] = [];
  /** Questions of the server to which the person did not agree. */
  #declined = 0;
  /** What the model was not to read or send, and did. */
  readonly #seen = new Set<string>();

  private constructor(named: NamedTask, armName: ArmName, parts: Parts) {
    this.#named = named;
    this.#armName = armName;
    this.#parts = parts;
  }

  /** The household is as the task wants it, and the person has begun to speak. */
  static async start(named: NamedTask, armName: ArmName): Promise<Conversation> {
    const { task } = named;
    const household = await startHousehold(task.household);
    await task.prepare?.(household.direct);
    const folder = await mkdtemp(join(tmpdir(), 'budget-csv-'));
    const before = await household.export();
    const program =
      armName === 'csv'
        ? undefined
        : await startProgram(household, {
            fault: task.fault,
            agrees: () => conversation.#agrees(),
            statements: task.statements?.(before),
          });
    if (!program) writeCsv(folder, before);
    const arm = armName === 'csv' || !program ? csvTools(folder) : armOf[armName](program);
    const conversation: Conversation = new Conversation(named, armName, {
      household,
      before,
      program,
      arm,
      folder,
    });
    await conversation.#beginTurn();
    return conversation;
  }

  /** For the model, before the person says something. */
  get instructions(): string {
    return [INSTRUCTIONS, this.#parts.program?.instructions].filter(Boolean).join('\n\n');
  }

  /** The tools that the model sees now; the arm `search` adds some. */
  get tools(): Tools['tools'] {
    return this.#parts.arm.tools;
  }

  /** The words of the person now. Undefined at the end. */
  get says(): string | undefined {
    return this.#named.task.says[this.#turns.length];
  }

  async call(tool: string, args: JsonObject): Promise<ToolAnswer> {
    const answer = await this.#parts.arm.call(tool, args);
    const { text, isError } = answer;
    const exchanged = `${JSON.stringify(args)}\n${text}`;
    for (const each of this.#named.task.unseen ?? [])
      if (exchanged.includes(each)) this.#seen.add(`${tool}: ${each}`);
    this.#calls.push({
      tool,
      arguments: args,
      tokens: countTokens(text),
      isError,
      amounts: amountsDigest(text),
    });
    return answer;
  }

  /** The model's answer to the person. Then `says` is the next thing. */
  async answer(text: string): Promise<void> {
    this.#turns.push({ calls: this.#calls, answer: text });
    this.#calls = [];
    if (this.says !== undefined) await this.#beginTurn();
  }

  /** The conversation up to now, with the verdict about it. */
  async record(): Promise<RecordedInArm> {
    const { household, before, program } = this.#parts;
    const { id, task } = this.#named;
    const outcome = {
      changes: changesBetween(before, await household.export()),
      answers: this.#turns.map(({ answer }) => answer),
    };
    const verdict = judge(task.expected(before), outcome, task.says.length);
    const declined = this.#declined > 0 ? [`The person declined ${this.#declined} changes.`] : [];
    const seen = [...this.#seen].map((each) => `A row of the file was read or sent: ${each}`);
    return {
      task: id,
      arm: this.#armName,
      turns: this.#turns,
      requests: program?.requests ?? 0,
      verdict: { ...verdict, faults: [...verdict.faults, ...declined, ...seen] },
    };
  }

  async close(): Promise<void> {
    const { household, program, folder } = this.#parts;
    await program?.close();
    await household.close();
    await rm(folder, { recursive: true, force: true });
  }

  /**
   * The host has shown the person a question of the server. They agree while something is to be done. Whether it was the
   * right thing is judged at the end.
   */
  #agrees(): boolean {
    const { results } = this.#named.task.expected(this.#parts.before);
    const isWanted = results[results.length === 1 ? 0 : this.#turns.length] === 'done';
    if (!isWanted) this.#declined += 1;
    return isWanted;
  }

  async #beginTurn(): Promise<void> {
    const { household, program, folder } = this.#parts;
    const change = this.#named.task.meanwhile?.[this.#turns.length];
    if (!change) return;
    await change(household.direct);
    if (!program) writeCsv(folder, await household.export());
  }
}
