/**
 * The key that everything in the store of a hosted server is sealed with. It is random, and is itself stored sealed with the
 * server key, which the operator keeps somewhere else. So the server key can be replaced without sealing everything again.
 */
import { randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { errnoOf, undefinedIfMissing } from '../base/errno.ts';
import { invalidConfig } from '../base/errors.ts';
import { replaceFile } from '../base/replace-file.ts';
import { Seal } from '../store/seal.ts';
import { SharedRecord, type SharedStore } from '../store/shared-store.ts';

export const KEY_BYTES = 32;

/** The sealed key that a seal must not open in another place. */
const PLACE = Buffer.from('root key');

export interface RootKeyPlace {
  /** In words for a person. */
  readonly name: string;
  /** Undefined if there is none yet. */
  read(): Promise<Buffer | undefined>;
  /** Stores the first one. Returns whether there was none. */
  create(sealed: Buffer): Promise<boolean>;
  replace(sealed: Buffer): Promise<void>;
}

/**
 * Reads the root key, or creates the first one. The first of `serverKeys` seals it from now on; the others are earlier ones.
 * Throws `invalid_configuration` if none of them opens it.
 */
export async function openRootKey(serverKeys: readonly Uint8Array[], place: RootKeyPlace) {
  const seals = serverKeys.map((key) => new Seal(key));
  const [current] = seals;
  if (!current) throw invalidConfig('There is no server key.');
  const created = randomBytes(KEY_BYTES);
  if (!(await place.read()) && (await place.create(sealedBy(current, created)))) return created;
  const stored = await place.read();
  for (const seal of seals) {
    const rootKey = stored && opensWith(seal, stored);
    if (!rootKey) continue;
    if (seal !== current) await place.replace(sealedBy(current, rootKey));
    return rootKey;
  }
  throw invalidConfig(
    `What is stored in ${place.name} was sealed with another server key. Add that key on a further line of the key file.`,
  );
}

const sealedBy = (seal: Seal, key: Uint8Array) => seal.close(Buffer.from(key).toString('base64'), PLACE);

function opensWith(seal: Seal, stored: Buffer): Uint8Array | undefined {
  try {
    return Buffer.from(seal.open(stored, PLACE), 'base64');
  } catch {
    return undefined;
  }
}

export function rootKeyFile(directory: string): RootKeyPlace {
  const path = join(directory, 'hosted.key');
  const writeBeside = async (sealed: Buffer) => {
    const temporary = `${path}.${randomBytes(8).toString('hex')}`;
    await writeFile(temporary, sealed, { mode: 0o600, flush: true });
    return temporary;
  };
  return {
    name: path,
    read: () => readFile(path).catch(undefinedIfMissing),
    async create(sealed) {
      const temporary = await writeBeside(sealed);
      try {
        // Fails if another process was faster.
        await link(temporary, path);
        return true;
      } catch (error) {
        if (errnoOf(error) === 'EEXIST') return false;
        throw error;
      } finally {
        await rm(temporary);
      }
    },
    replace: async (sealed) => replaceFile(await writeBeside(sealed), path),
  };
}

/** A record of a store. It is sealed already, so that the key of the store need not be secret. */
export function rootKeyRecord(store: SharedStore, name: string): RootKeyPlace {
  const record = new SharedRecord(store, 'root key', z.base64().nullable(), null);
  return {
    name,
    async read() {
      const stored = await record.read();
      return stored === null ? undefined : Buffer.from(stored, 'base64');
    },
    create: (sealed) =>
      record.update((stored) => ({ value: stored ?? sealed.toString('base64'), result: stored === null })),
    replace: (sealed) => record.update(() => ({ value: sealed.toString('base64'), result: undefined })),
  };
}
