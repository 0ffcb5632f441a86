/**
 * Seals values with AES-256-GCM, so that only who has the key can read them, and no value can be put in the place of another
 * one. Large values are compressed before.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import type { StoredValue } from './shared-store.ts';
import { StoreError } from './store-error.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
/** Smaller values gain little. */
const MIN_COMPRESSED_BYTES = 1_024;
/** The fastest quality. */
const COMPRESSION = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

/** The first byte of what is sealed. */
const PLAIN = 0;
const COMPRESSED = 1;

/** Tells a sealed value from all others, also from the same text sealed again. */
export const nonceOf = (sealed: Uint8Array): Uint8Array => sealed.subarray(0, NONCE_BYTES);

export class Seal {
  readonly #key: Buffer;
  readonly #nameKey: Buffer;

  /** `secret` has 32 bytes. */
  constructor(secret: Uint8Array) {
    const derive = (purpose: string) =>
      Buffer.from(hkdfSync('sha256', secret, '', `budget-mcp state ${purpose}`, KEY_BYTES));
    this.#key = derive('values');
    this.#nameKey = derive('names');
  }

  /** The name of a value as it may be shown: it says nothing, and is always the same. */
  nameOf(name: string): Buffer {
    return createHmac('sha256', this.#nameKey).update(name).digest().subarray(0, 16);
  }

  /** `place` is where the value is kept. It can be opened only there. */
  close(text: string, place: Uint8Array): Buffer {
    const plain = Buffer.from(text);
    const content =
      plain.length < MIN_COMPRESSED_BYTES
        ? [Buffer.of(PLAIN), plain]
        : [Buffer.of(COMPRESSED), brotliCompressSync(plain, COMPRESSION)];
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce).setAAD(place);
    const sealed = content.map((each) => cipher.update(each));
    return Buffer.concat([nonce, ...sealed, cipher.final(), cipher.getAuthTag()]);
  }

  closeValue(value: StoredValue, place: Uint8Array): Buffer {
    return this.close(JSON.stringify(value), place);
  }

  /** Throws a `StoreError` of damage if the value was not sealed with this key for this place. */
  openValue(sealed: Uint8Array, place: Uint8Array): unknown {
    try {
      return JSON.parse(this.open(sealed, place));
    } catch (cause) {
      throw new StoreError('damaged', { isDamage: true, cause });
    }
  }

  /** Throws if the value was not sealed with this key for this place. */
  open(sealed: Uint8Array, place: Uint8Array): string {
    const decipher = createDecipheriv(CIPHER, this.#key, nonceOf(sealed), { authTagLength: TAG_BYTES });
    decipher.setAAD(place).setAuthTag(sealed.subarray(-TAG_BYTES));
    const content = Buffer.concat([
      decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)),
      decipher.final(),
    ]);
    const plain = content.subarray(1);
    return (content[0] === COMPRESSED ? brotliDecompressSync(plain) : plain).toString();
  }
}
