import type { CanReplace, SignIn, TokenStore } from '../../src/auth/token-store.ts';

/** Stores sign-ins in memory only. */
export class MemoryTokenStore implements TokenStore {
  readonly place = 'memory';
  readonly #signIns = new Map<string, SignIn>();

  async read(profile: string): Promise<SignIn | undefined> {
    return this.#signIns.get(profile);
  }

  async write(
    profile: string,
    signIn: SignIn,
    mayReplace: CanReplace<SignIn> = () => true,
  ): Promise<boolean> {
    if (!mayReplace(this.#signIns.get(profile))) return false;
    this.#signIns.set(profile, signIn);
    return true;
  }

  async remove(profile: string): Promise<boolean> {
    return this.#signIns.delete(profile);
  }
}
