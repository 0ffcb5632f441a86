/** Stores sign-ins as secrets. It knows the format of a sign-in, and nothing about the place where secrets are stored. */
import type { SecretStore } from './secret-store.ts';
import { type CanReplace, parseSignIn, type SignIn, type TokenStore } from './token-store.ts';

export class SignInStore implements TokenStore {
  readonly #secrets: SecretStore;

  constructor(secrets: SecretStore) {
    this.#secrets = secrets;
  }

  get place(): string {
    return this.#secrets.place;
  }

  async read(profile: string): Promise<SignIn | undefined> {
    return this.#parse(await this.#secrets.read(profile));
  }

  /** A stored text that is not a sign-in is not replaced, because it may be valid for another version of the program. */
  write(profile: string, signIn: SignIn, mayReplace: CanReplace = () => true): Promise<boolean> {
    return this.#secrets.write(profile, JSON.stringify(signIn), (stored) => mayReplace(this.#parse(stored)));
  }

  remove(profile: string): Promise<boolean> {
    return this.#secrets.remove(profile);
  }

  #parse(stored: string | undefined): SignIn | undefined {
    return stored === undefined ? undefined : parseSignIn(stored, this.place);
  }
}
