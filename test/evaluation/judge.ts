/** Judges what a conversation has led to: the results that the model gave, and the changes in the budget. */
import { type Change, differences, NOT_EXPECTED } from './changes.ts';
import type { Verdict } from './recording.ts';
import type { Expected, Result } from './task.ts';

export interface Outcome {
  /** The differences between the export before the conversation and the one after it. */
  readonly changes: readonly Change[];
  /** The model's answer to each entry of `says`, in order. */
  readonly answers: readonly string[];
}

/** `turns` is the number of entries of `says`. Throws if the task expects results for another number of turns. */
export function judge({ results, changes }: Expected, outcome: Outcome, turns: number): Verdict {
  if (results.length !== 1 && results.length !== turns)
    throw new Error(`The task has ${turns} turns and expects ${results.length} results.`);
  const texts = Array.from({ length: turns }, (_, turn) => resultIn(outcome.answers[turn] ?? ''));
  const judged = texts
    .slice(-results.length)
    .map((text, index) => ({
      text,
      expected: results[index] ?? 'anything',
      turn: turns - results.length + index,
    }))
    .filter(({ text, expected }) => !isRight(text, expected));
  const faultsOfResults = judged.map(
    ({ text, expected, turn }) =>
      `Turn ${turn + 1}: ${text === undefined ? 'no result' : JSON.stringify(text)} instead of ${JSON.stringify(expected)}.`,
  );
  const faultsOfChanges = differences(changes, outcome.changes);
  const relied = faultsOfChanges.length > 0 ? texts : judged.map(({ text }) => text);
  return {
    faults: [...faultsOfResults, ...faultsOfChanges],
    isConfidentlyWrong: relied.some(isClaim) || faultsOfChanges.some(isUnwanted),
  };
}

/** Whatever the model says then, the budget is not as the person wants it. */
const isUnwanted = (fault: string) => fault.startsWith(NOT_EXPECTED);

const OPEN = ['question', 'impossible'];

const isClaim = (text: string | undefined) => text !== undefined && !OPEN.includes(plainName(text));

/** The text after `Result:` in the last line of an answer that has it. Models emphasise it at times. */
export function resultIn(answer: string): string | undefined {
  return answer
    .split('\n')
    .map((line) => /^[\s*_`>-]*result\s*[*_]*:[\s*_]*(.*?)[\s*_`]*$/i.exec(line)?.[1])
    .findLast((text) => text !== undefined);
}

function isRight(text: string | undefined, expected: Result): boolean {
  if (expected === 'anything') return true;
  if (text === undefined) return false;
  if (expected === 'done') return plainName(text) === 'done';
  if (expected === 'asked or refused') return OPEN.includes(plainName(text));
  const items = text.split(';');
  return (
    items.length === expected.length && expected.every((wanted, index) => isItem(items[index] ?? '', wanted))
  );
}

function isItem(item: string, wanted: number | string | readonly string[]): boolean {
  if (typeof wanted === 'number') return isAmount(item, wanted);
  const forms = typeof wanted === 'string' ? [wanted] : wanted;
  return forms.some((form) => plainName(form) === plainName(item) || isAmount(item, amountIn(form)));
}

/** Half a cent may be rounded either way. A cent more or less is wrong. */
function isAmount(item: string, wanted: number | undefined): boolean {
  const amount = amountIn(item);
  return amount !== undefined && wanted !== undefined && Math.abs(amount - wanted) < 0.005_01;
}

const MARKS = /^[\s"'“”„«»‘’`*_]+|[\s"'“”„«»‘’`*_.]+$/g;

const plainName = (text: string) =>
  text.normalize('NFC').replace(MARKS, '').replace(/\s+/g, ' ').toLowerCase();

const CURRENCY = /[€$£¥%]|\b(?:EUR|CHF|USD|GBP|JPY)\b|\bS?Fr\b\.?/gi;
/** Groups of three digits: `1,234.56`, `1.234,56`, `1'234.56`, `1 234`. */
const GROUPED = /^-?[1-9]\d{0,2}(?:([.,'’ ])\d{3})(?:\1\d{3})*(?:(?!\1)[.,]\d{1,2})?$/;
const PLAIN = /^-?\d+(?:[.,]\d+)?$/;

/** The number that a text consists of, with or without a currency. Undefined if it says anything else. */
export function amountIn(text: string): number | undefined {
  const bare = text
    .replace(CURRENCY, '')
    .replace(/\s+/g, ' ')
    .replace(MARKS, '')
    .replace(/^[−–]/, '-')
    .replace(/^(-?)\+? */, '$1');
  if (PLAIN.test(bare) && !GROUPED.test(bare)) return Number(bare.replace(',', '.'));
  const separator = GROUPED.exec(bare)?.[1];
  return separator === undefined ? undefined : Number(bare.replaceAll(separator, '').replace(',', '.'));
}
