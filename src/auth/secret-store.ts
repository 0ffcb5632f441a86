/**
 * Stores one secret text for each profile between two runs of the program: one interface for every kind of store. A store
 * knows nothing about the text.
 */

/** Decides whether the text that is stored now may be replaced. */
export type CanReplaceText = (stored: string | undefined) => boolean;

/**
 * If a store cannot be read, it throws a `BudgetError` with the cause and the remedy. A failure is never reported as "no
 * secret": the user would sign in again and overwrite a valid token.
 */
export interface SecretStore {
  /** In words for a person, such as "the keychain of this computer". */
  readonly place: string;
  /** Undefined only if the profile has no secret. */
  read(profile: string): Promise<string | undefined>;
  /**
   * Replaces the profile's secret as a whole: after a crash the store has either the old one or the new one. `mayReplace`
   * is called as late as possible, and nothing is written if it throws. Returns whether the secret was written.
   */
  write(profile: string, secret: string, mayReplace?: CanReplaceText): Promise<boolean>;
  /** Returns whether there was a secret. Reads again to make sure that it was removed. */
  remove(profile: string): Promise<boolean>;
}
