/**
 * Sends one request to the keychain of the operating system, in a process of its own. A call to the keychain can hang
 * until the user answers its prompt. It cannot be aborted, and a normal exit waits for it, but a process can be killed.
 * This is the only file that imports the keychain library. It knows nothing about sign-ins.
 */
import { createInterface } from 'node:readline';
import type { KeychainAnswer, KeychainRequest } from './keychain-secret-store.ts';

async function answer(request: KeychainRequest): Promise<KeychainAnswer> {
  let keyring: typeof import('@napi-rs/keyring');
  try {
    keyring = await import('@napi-rs/keyring');
  } catch (error) {
    return { failure: 'missing', message: messageOf(error) };
  }
  try {
    const { service, account } = request;
    // By default the library falls back silently to kernel memory, which is empty after a reboot.
    const entry = new keyring.AsyncEntry(service, account, { linux: { store: 'secret-service' } });
    if (request.operation === 'get') return { result: await entry.getPassword() };
    if (request.operation === 'delete') return { result: await entry.deleteCredential() };
    await entry.setPassword(request.password);
    return { result: null };
  } catch (error) {
    return { failure: 'refused', message: messageOf(error) };
  }
}

/** With its causes: only they say why a binary could not be loaded. */
const messageOf = (error: unknown): string =>
  error instanceof Error
    ? [error.message, ...(error.cause instanceof Error ? [messageOf(error.cause)] : [])].join(' ')
    : String(error);

// A normal exit would wait for the call.
const end = () => process.kill(process.pid, 'SIGKILL');

// When the parent ends, stdin closes. No answer is needed then, and no prompt should stay open.
const lines = createInterface({ input: process.stdin }).once('close', end);
lines.once('line', async (line) => {
  // Only the process that has started this one writes here.
  const request: KeychainRequest = JSON.parse(line);
  process.stdout.write(`${JSON.stringify(await answer(request))}\n`, end);
});
