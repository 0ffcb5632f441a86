/** Compares the names by which a person and a bank call one payee. Digits and punctuation count for nothing. */
import { fold } from '../../base/fold.ts';
import { memo } from '../../base/memo.ts';
import type { Transaction } from '../replica/entities.ts';

type Named = Pick<
  Transaction,
  'payee_id' | 'payee_name' | 'import_payee_name' | 'import_payee_name_original'
>;

/** A single letter or two say nothing. */
const MIN_LETTERS = 3;

/** The beginnings of words for moving money between own accounts, as banks write them in some languages. */
const beginnings =
  'transfer xfer withdraw deposit payment pymt pmt autopay cash atm topup saving standing banking umbuch uberweis ubertrag dauerauftr gutschrift eingang einzahl auszahl abheb bargeld geldautomat kreditkart spar virement retrait versement bonifico giroconto prelievo transferenc traspaso overboek overf przelew';
const moving = new RegExp(`^(${beginnings.replaceAll(' ', '|')})`);

/** More of a name say no more of the payee, and each is compared with each. */
const MAX_WORDS = 16;

/** Compares names. The words of a text are looked for once. */
export class NameWords {
  /** Each once, as they are compared. */
  readonly #of = memo(
    (text: string | null): ReadonlySet<string> =>
      new Set(
        fold(text ?? '')
          .match(/\p{L}+/gu)
          ?.slice(0, MAX_WORDS),
      ),
  );

  /** True if a name or the memo has a word for moving money, or one of the name of the other account. */
  speakForTransfer(row: Named & Pick<Transaction, 'memo'>, otherAccount: string): boolean {
    const account = this.#of(otherAccount);
    return [...namesOf(row), row.memo].some((text) =>
      [...this.#of(text)].some((word) => moving.test(word) || (word.length > 2 && account.has(word))),
    );
  }

  /** True if both have the same payee, or one of the names of one has all words of a name of the other, perhaps abbreviated. */
  goTogether(one: Named, other: Named): boolean {
    if (one.payee_id !== null && one.payee_id === other.payee_id) return true;
    const names = namesOf(other).map((name) => this.#of(name));
    return namesOf(one)
      .map((name) => this.#of(name))
      .some((words) => names.some((others) => contains(words, others) || contains(others, words)));
  }
}

/** What the person and the bank call the payee. */
const namesOf = (row: Named): readonly (string | null)[] => [
  row.payee_name,
  row.import_payee_name,
  row.import_payee_name_original,
];

const contains = (words: ReadonlySet<string>, part: ReadonlySet<string>) =>
  [...part].join('').length >= MIN_LETTERS &&
  [...part].every((word) => words.has(word) || [...words].some((each) => areShort(word, each)));

const areShort = (one: string, other: string) => isShortOf(one, other) || isShortOf(other, one);

/** Whether a bank may write `word` as `short`: its first letter, and others of it in their order. */
function isShortOf(short: string, word: string): boolean {
  if (short.length < MIN_LETTERS || short[0] !== word[0]) return false;
  let at = 0;
  for (const letter of word) if (letter === short[at]) at += 1;
  return at === short.length;
}
