/** The memo of a row whose payee is not known. */

const NAME_END = ' · ';

/** For a row whose payee is not known: its name, and what it was for. */
export const memoOf = (text: string, purpose: string) =>
  [text, purpose].filter((each) => each !== '').join(NAME_END);

/** Returns the text of the row from which such a memo was made. */
export const textOfMemo = (memo: string): string => memo.split(NAME_END, 1)[0] ?? memo;
