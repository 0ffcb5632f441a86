/**
 * One question to the keychain of the operating system, in a process of its own: a line of JSON in, a line of JSON out.
 * A call to the keychain can hang for as long as nobody answers its prompt, and can neither be aborted nor outlived by
 * an orderly exit; a process can be killed. The only import of the keychain library. It must not know what is kept.
 */
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { KeychainAnswer } from './keychain-token-store.ts';

const entrySchema = z.object({ service: z.string(), account: z.string() });

const requestSchema = z.discriminatedUnion('operation', [
  entrySchema.extend({ operation: z.literal('get') }),
  entrySchema.extend({ operation: z.literal('set'), password: z.string() }),
  entrySchema.extend({ operation: z.literal('delete') }),
]);

export type KeychainRequest = z.input<typeof requestSchema>;

async function answer(request: KeychainRequest): Promise<KeychainAnswer> {
  let keyring: typeof import('@napi-rs/keyring');
  try {
    keyring = await import('@napi-rs/keyring');
  } catch (error) {
    return { failure: 'missing', message: messageOf(error) };
  }
  try {
    const { service, account } = request;
    // Otherwise it falls back, unsaid, to the kernel's memory, which a reboot forgets.
    const entry = new keyring.AsyncEntry(service, account, { linux: { store: 'secret-service' } });
    if (request.operation === 'get') return { result: await entry.getPassword() };
    if (request.operation === 'delete') return { result: await entry.deleteCredential() };
    await entry.setPassword(request.password);
    return { result: null };
  } catch (error) {
    return { failure: 'refused', message: messageOf(error) };
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

// An orderly exit would wait for the call.
const end = () => process.kill(process.pid, 'SIGKILL');

// Whoever asked and is gone needs no answer, and nobody is to find a prompt without a program behind it.
const lines = createInterface({ input: process.stdin }).once('close', end);
lines.once('line', async (line) => {
  const request = requestSchema.parse(JSON.parse(line));
  process.stdout.write(`${JSON.stringify(await answer(request))}\n`, end);
});
