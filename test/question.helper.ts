/** What a question about a budget consists of, how it is asked, and how its answers are checked. */
import assert from 'node:assert/strict';
import type { JsonObject } from '../src/base/json.ts';
import { type Rows, sumOf } from './budget-rows.helper.ts';

export interface QuestionCall {
  readonly tool: string;
  /** What the last answer shows may be used as arguments. */
  readonly args: JsonObject | ((answer: string) => JsonObject);
}

export interface Question {
  readonly question: string;
  /** What was written before, in the same session. Not counted. */
  readonly before?: readonly QuestionCall[];
  calls(rows: Rows): readonly QuestionCall[];
  /** What the answers have to contain. */
  expected(rows: Rows): readonly string[];
  /** Throws unless `now` has what was to be written, and nothing else has changed since `rows`. */
  after?(rows: Rows, now: Rows): void;
}

/** Returns the text of an answer. Throws if it is an error. */
export type Call = (tool: string, args: JsonObject) => Promise<string>;

/** Returns the answers. */
export async function ask(calls: readonly QuestionCall[], call: Call): Promise<string[]> {
  const answers: string[] = [];
  for (const { tool, args } of calls)
    answers.push(await call(tool, typeof args === 'function' ? args(answers.at(-1) ?? '') : args));
  return answers;
}

/** Throws if an answer lacks what the question asks for. */
export function checkAnswers(answers: readonly string[], expected: readonly string[]): void {
  const text = answers.join('\n');
  for (const part of expected) assert.ok(text.includes(part), `${JSON.stringify(part)} is not in:\n${text}`);
}

export const money = (milliunits: number) => (milliunits / 1000).toFixed(2);
export const quoted = (name: string | null) => JSON.stringify(name);
export const amountsOf = (rows: readonly { readonly amount: number }[]) =>
  sumOf(rows.map(({ amount }) => amount));
