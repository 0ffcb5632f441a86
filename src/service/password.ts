/**
 * A user's password, of which only a salted scrypt hash is kept. It must not know who has it, or how often it may be
 * tried.
 */
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
    const [hash, tried] = await Promise.all([this.#hash, derive(plain, this.#salt, HASH_BYTES)]);
    return timingSafeEqual(hash, tried);
  }
}
