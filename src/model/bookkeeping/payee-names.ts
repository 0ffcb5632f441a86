/** How the service takes the names of payees: which are equal, and which it refuses in writes (docs/interface.md, Transaction). */
import { normalized } from '../../base/fold.ts';
import { decodeHtml } from '../../base/html-text.ts';
import { quote } from '../../base/quote.ts';

/** Equal for names that the service takes for the same payee, and for both spellings of one that came from a bank. */
export const payeeKey = (name: string): string => normalized(decodeHtml(name).trim()).toLowerCase();

/** The payees of entries that set the balance of an account, by what they are called in answers. */
const balancePayees = {
  starting_balances: ['Starting Balance'],
  adjustments: ['Manual Balance Adjustment', 'Reconciliation Balance Adjustment'],
} as const;

export type BalanceEntry = keyof typeof balancePayees;

/** Whether entries of a payee with this name set a balance. Undefined for any other payee. */
export function balanceEntryOf(name: string): BalanceEntry | undefined {
  const kinds = ['starting_balances', 'adjustments'] as const;
  return kinds.find((kind) => balancePayees[kind].some((each) => payeeKey(each) === payeeKey(name)));
}

/** The beginnings of names that the service gives itself. */
const BEGINNINGS = ['Transfer : ', ...balancePayees.starting_balances, ...balancePayees.adjustments];

/** Why the name of a payee is refused. Undefined if it is not. */
export function ownNameProblem(field: string, name: string): string | undefined {
  const key = name.trimStart().toLowerCase();
  const beginning = BEGINNINGS.find((each) => key.startsWith(each.toLowerCase()));
  return beginning && `${field}: names that begin with ${quote(beginning)} are those of the service itself`;
}
