/**
 * A text that people search for. Each of its words has to occur in a line of a transaction: in the name of its payee,
 * category, account or flag, in its memo, or in the bank's own text of the payment. A number also finds amounts equal to it.
 */
import { fold, includesFolded } from '../../base/fold.ts';
import { decodeHtml } from '../../base/html-text.ts';
import type { BudgetReplica } from '../replica/budget-replica.ts';
import type { Transaction } from '../replica/entities.ts';
import type { Line } from './lines.ts';

/** A word, with what it finds. Names are compared once for each search, because many transactions share them. */
interface Word {
  readonly folded: string;
  readonly payees: ReadonlySet<string | null>;
  readonly categories: ReadonlySet<string | null>;
  readonly accounts: ReadonlySet<string>;
  /** In milliunits. Undefined if the word is not a number. */
  readonly amount: number | undefined;
}

/** The words of a text, each once, as they are compared. Empty if there is nothing to search for. */
export const wordsOf = (text: string): string[] => [
  ...new Set(fold(decodeHtml(text)).split(/\s+/u).filter(Boolean)),
];

/** `line` is the transaction itself or one of its legs. A leg is also found by the words of its transaction. */
export function textTest(
  text: string,
  { payees, categories, accounts }: BudgetReplica,
): (transaction: Transaction, line: Line) => boolean {
  const words = wordsOf(text).map(
    (folded): Word => ({
      folded,
      payees: idsOf(payees.list(), folded),
      categories: idsOf(categories.list(), folded),
      accounts: idsOf(accounts.list(), folded),
      amount: amountOf(folded),
    }),
  );
  return (transaction, line) =>
    words.every(
      (word) =>
        word.accounts.has(transaction.account_id) ||
        isInOwnTexts(transaction, word) ||
        isIn(line, word) ||
        (line !== transaction && isIn(transaction, word)) ||
        (word.amount !== undefined && Math.abs(line.amount) === word.amount),
    );
}

/** Categories and accounts in whose names all words occur, so that all of their transactions are found. */
export function namesWithWords(text: string, { categories, accounts }: BudgetReplica) {
  const words = wordsOf(text);
  const ofKind = (kind: 'category' | 'account', things: readonly { id: string; name: string }[]) =>
    things
      .filter(({ name }) => words.every((word) => includesFolded(name, word)))
      .map(({ id, name }) => ({ kind, id, name }));
  return [...ofKind('category', categories.list()), ...ofKind('account', accounts.list())];
}

const isIn = ({ payee_id, category_id, memo }: Line, { folded, payees, categories }: Word): boolean =>
  payees.has(payee_id) || categories.has(category_id) || (memo !== null && includesFolded(memo, folded));

/** In a text that only a whole transaction has. */
const isInOwnTexts = (
  { flag_name, import_payee_name, import_payee_name_original }: Transaction,
  { folded }: Word,
): boolean =>
  (flag_name !== null && includesFolded(flag_name, folded)) ||
  (import_payee_name !== null && includesFolded(import_payee_name, folded)) ||
  (import_payee_name_original !== null && includesFolded(import_payee_name_original, folded));

const idsOf = (things: readonly { readonly id: string; readonly name: string }[], folded: string) =>
  new Set(things.filter(({ name }) => includesFolded(name, folded)).map(({ id }) => id));

/** The amount that a number means in currency units, without its sign. */
function amountOf(word: string): number | undefined {
  const [, whole = '', decimals = ''] = /^-?(\d{1,12})(?:[.,](\d{1,3}))?$/.exec(word) ?? [];
  return whole === '' ? undefined : Number(whole + decimals.padEnd(3, '0'));
}
