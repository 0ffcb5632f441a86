/**
 * Stores one thing for each profile between two runs of the program: one interface for every kind of store, and for secret texts
 * as well as for the sign-ins that are made of them.
 */

/**
 * If a store cannot be read, it throws a `BudgetError` with the cause and the remedy. A failure is never reported as "nothing
 * stored": the user would sign in again and overwrite a valid token.
 */
export interface ProfileStore<Content> {
  /** In words for a person, such as "the keychain of this computer". */
  readonly place: string;
  /** Undefined only if the profile has none. */
  read(profile: string): Promise<Content | undefined>;
  /**
   * Replaces the content of the profile as a whole: after a crash the store has either the old one or the new one. Content that
   * cannot be read is not replaced, because it may be valid. `mayReplace` is called as late as possible, and nothing is written
   * if it throws. Returns whether the content was written.
   */
  write(profile: string, content: Content, mayReplace?: CanReplace<Content>): Promise<boolean>;
  /** Returns whether there was any. Reads again to make sure that it was removed. */
  remove(profile: string): Promise<boolean>;
}

/** Decides whether the content that is stored now may be replaced. */
export type CanReplace<Content> = (stored: Content | undefined) => boolean;

export type SecretStore = ProfileStore<string>;
