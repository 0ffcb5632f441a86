/** Matches the rows of a bank with the nearest transactions, and those whose payee the row names first. Pure. */
import { dayNumber } from '../../base/calendar.ts';
import { compareTexts } from '../../base/compare.ts';
import { groupBy } from '../../base/group-by.ts';
import { memo } from '../../base/memo.ts';
import type { Transaction } from '../../model/replica/entities.ts';

export const MATCHING_DAYS = 10;
/** For a row, names are compared of so many transactions of one amount and day: more would take too long in a long list. */
const MAX_COMPARED_NAMES = 10;
const MIN_NAME_LENGTH = 3;

export interface NamedRow {
  readonly date: string;
  readonly amount: number;
  /** The payee or the purpose, as the bank writes it. It has room in a memo: at most 500 characters (docs/interface.md, Transaction). */
  readonly text?: string | undefined;
}

export type NamedTransaction = Pick<
  Transaction,
  'id' | 'date' | 'amount' | 'cleared' | 'payee_name' | 'import_payee_name' | 'import_payee_name_original'
>;

/** Matches rows with the nearest transactions of one of the amounts that belong to theirs, and removes them from `open`. */
export function takeNearest<Entry extends NamedTransaction>(
  open: Map<number, NamedRow>,
  transactions: readonly Entry[],
  amountsOf: (amount: number) => readonly number[],
  days = MATCHING_DAYS,
): Map<number, Entry> {
  const byAmount = groupBy(transactions, ({ amount }): number => amount);
  const lettersOf = rememberedLetters();
  const ofAmount = memo((amount: number) => candidatesByDay(byAmount.get(amount) ?? [], lettersOf));
  const ofRowsAmount = memo((amount: number) =>
    amountsOf(amount)
      .filter((each) => byAmount.has(each))
      .map(ofAmount),
  );
  // Mostly a row has no candidate at all, and a file has thousands of rows.
  const possible = [...open].flatMap(([index, { date, amount, text }]) => {
    const candidates = ofRowsAmount(amount);
    if (candidates.length === 0) return [];
    return [{ index, day: dayNumber(date), letters: lettersOf(text), candidates }];
  });
  /** The best one with that name. It is removed. */
  const takeNamed = (name: string, candidates: Candidate<Entry>[] = []): Entry | undefined => {
    if (!isLongEnough(name)) return undefined;
    const compared = candidates.slice(-MAX_COMPARED_NAMES);
    const at = compared.findLastIndex(({ names }) =>
      names.some((each) => name.includes(each) || each.includes(name)),
    );
    return at < 0 ? undefined : candidates.splice(at - compared.length, 1)[0]?.entry;
  };
  const matched = new Map<number, Entry>();
  for (let distance = 0; distance <= days; distance += 1)
    for (const isNamed of [true, false])
      for (const { index, day, letters, candidates } of possible)
        for (const byDay of open.has(index) ? candidates : []) {
          const take = (of: Candidate<Entry>[] | undefined) =>
            isNamed ? takeNamed(letters, of) : of?.pop()?.entry;
          const found = take(byDay.get(day - distance)) ?? take(byDay.get(day + distance));
          if (!found) continue;
          matched.set(index, found);
          open.delete(index);
          break;
        }
  return matched;
}

interface Candidate<Entry> {
  readonly entry: Entry;
  /** The letters of its names. */
  readonly names: readonly string[];
}

/** The transactions of one amount by their day. The best one is the last one, because it is cheap to remove. */
type CandidatesByDay<Entry> = ReadonlyMap<number, Candidate<Entry>[]>;

function candidatesByDay<Entry extends NamedTransaction>(
  transactions: readonly Entry[],
  lettersOf: LettersOf,
): CandidatesByDay<Entry> {
  const named = transactions
    .toSorted((a, b) => inOrder(b, a))
    .map((entry) => {
      const { payee_name, import_payee_name, import_payee_name_original } = entry;
      const names = new Set([payee_name, import_payee_name, import_payee_name_original].map(lettersOf));
      return { entry, names: [...names].filter(isLongEnough) };
    });
  return groupBy(named, ({ entry }) => dayNumber(entry.date));
}

/** An entry that the bank had before comes first, so that a second uncleared entry of the same is reported. */
const rankOf = ({ cleared }: NamedTransaction) =>
  cleared === 'reconciled' ? 0 : cleared === 'cleared' ? 1 : 2;

/** The result must not depend on the order of the transactions. */
export const inOrder = (a: NamedTransaction, b: NamedTransaction) =>
  rankOf(a) - rankOf(b) || compareTexts(a.id, b.id);

const isLongEnough = (name: string) => name.length >= MIN_NAME_LENGTH;

type LettersOf = (text: string | null | undefined) => string;

function rememberedLetters(): LettersOf {
  const lettersOf = memo((text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, ''));
  return (text) => lettersOf(text ?? '');
}
