/** A user's password. Only a salted scrypt hash is stored. */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify<string, Buffer, number, Buffer>(scrypt);
const HASH_BYTES = 32;

export class Password {
  readonly #salt = randomBytes(16);
  readonly #hash: Promise<Buffer>;

  constructor(plain: string) {
    this.#hash = derive(plain, this.#salt, HASH_BYTES);
  }

  async matches(plain: string): Promise<boolean> {
    const [hash, candidate] = await Promise.all([this.#hash, derive(plain, this.#salt, HASH_BYTES)]);
    return timingSafeEqual(hash, candidate);
  }
}
