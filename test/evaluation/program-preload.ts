/**
 * Loaded before the program of a conversation (`node --import`), so that it can be repeated: the program reads the clock of
 * the conversation, and the ids that it gives to its writes are always the same.
 */
import crypto, { createHash } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import '../programs/machine-clock-preload.helper.ts';

let drawn = 0;

Object.assign(crypto, {
  randomBytes: (size: number) => {
    drawn += 1;
    return createHash('shake256', { outputLength: size }).update(String(drawn)).digest();
  },
});
syncBuiltinESMExports();
