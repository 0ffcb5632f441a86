import type { CanReplace, SecretStore } from '../../src/auth/token-store.ts';

/** Stores secrets in memory only. */
export class MemorySecretStore implements SecretStore {
  readonly place = 'memory';
  readonly #secrets = new Map<string, string>();
  reads = 0;

  async read(profile: string): Promise<string | undefined> {
    this.reads += 1;
    return this.#secrets.get(profile);
  }

  async write(
    profile: string,
    secret: string,
    mayReplace: CanReplace<string> = () => true,
  ): Promise<boolean> {
    if (!mayReplace(this.#secrets.get(profile))) return false;
    this.#secrets.set(profile, secret);
    return true;
  }

  async remove(profile: string): Promise<boolean> {
    return this.#secrets.delete(profile);
  }
}
