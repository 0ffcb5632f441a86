/**
 * Stores secrets in the keychain of the operating system: Keychain on macOS, the Credential Manager on Windows, the
 * Secret Service on Linux. It knows how keychains fail and explains it. A child process of its own, `keychain-child.ts`,
 * sends each request, and is killed after a time limit. This file does not import the keychain library.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { z } from 'zod';
import { onAbort } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { BudgetError, type ErrorCode } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import type { CanReplace, SecretStore } from './token-store.ts';

export interface KeychainSecretStoreOptions {
  /** The path of the built `keychain-child.ts`. */
  readonly childPath: string;
  /** The environment. Only the variables that the keychain needs are passed on. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly platform?: NodeJS.Platform;
  /** Follows the profile in the name of the entry. Secrets of one profile differ in it. Empty for its sign-in. */
  readonly suffix?: string;
  /** The command with which the user signs in at a terminal. */
  readonly loginCommand?: string;
}

/** What the child process gets, as one line of JSON. */
export type KeychainRequest = { readonly service: string; readonly account: string } & (
  | { readonly operation: 'get' }
  | { readonly operation: 'set'; readonly password: string }
  | { readonly operation: 'delete' }
);

const failureSchema = z.object({
  /** Whether the keychain library cannot be loaded, or the keychain refused. */
  failure: z.enum(['missing', 'refused']),
  message: z.string(),
});

const answerSchema = z.union([
  z.object({ result: z.union([z.string(), z.boolean(), z.null()]) }),
  failureSchema,
]);

/** What it answers, as one line of JSON. */
export type KeychainAnswer = z.output<typeof answerSchema>;

const SERVICE = 'budget-mcp';

/** The largest size of an entry on Windows. */
const MAX_CHARACTERS = 1_280;

/** Variables that locate D-Bus, and one that makes Electron run a script as Node.js does. */
const PASSED_VARIABLES = ['DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR', 'HOME', 'ELECTRON_RUN_AS_NODE'];

export class KeychainSecretStore implements SecretStore {
  readonly place = 'the keychain of this computer';
  readonly #options: KeychainSecretStoreOptions;

  constructor(options: KeychainSecretStoreOptions) {
    this.#options = options;
  }

  async read(profile: string): Promise<string | undefined> {
    const password = await this.#request({ operation: 'get', ...this.#entryOf(profile) });
    return password === null ? undefined : String(password);
  }

  async write(profile: string, secret: string, mayReplace: CanReplace<string> = () => true) {
    const { platform = process.platform } = this.#options;
    if (platform === 'win32' && secret.length > MAX_CHARACTERS)
      throw new BudgetError(
        'sign_in_too_large',
        `The sign-in takes ${secret.length} characters, and an entry of the Windows keychain holds ${MAX_CHARACTERS}.`,
      );
    // Throws if the entry cannot be read. It may be valid, so it must not be replaced.
    if (!mayReplace(await this.read(profile))) return false;
    await this.#request({ operation: 'set', ...this.#entryOf(profile), password: secret });
    return true;
  }

  async remove(profile: string): Promise<boolean> {
    const wasThere = await this.#request({ operation: 'delete', ...this.#entryOf(profile) });
    // macOS does not report whether it has removed the entry.
    if ((await this.read(profile)) !== undefined)
      throw new BudgetError('keychain_unavailable', 'The keychain still has the entry after removing it.');
    return wasThere === true;
  }

  #entryOf = (profile: string) => ({ service: SERVICE, account: `${profile}${this.#options.suffix ?? ''}` });

  async #request(request: KeychainRequest): Promise<string | boolean | null> {
    const answer = answerSchema.safeParse(await this.#runChild(request));
    if (!answer.success) throw this.#unavailable('the child process that asks it ended without an answer');
    if ('failure' in answer.data) throw this.#errorOf(answer.data);
    return answer.data.result;
  }

  /** The parsed but unchecked output of the child. Undefined if it is not JSON. */
  async #runChild(request: KeychainRequest): Promise<unknown> {
    this.#refuseIfCancelled();
    const { childPath, env, clock, timeoutMs, signal } = this.#options;
    const child = spawn(process.execPath, [childPath], {
      env: Object.fromEntries(PASSED_VARIABLES.map((name) => [name, env[name]])),
      stdio: ['pipe', 'pipe', 'ignore'],
      windowsHide: true,
    });
    const settled = new AbortController();
    const kill = () => child.kill('SIGKILL');
    const stopListening = onAbort(signal, kill);
    let timedOut = false;
    const timeout = clock.sleep(timeoutMs, settled.signal).then(
      () => {
        timedOut = true;
        kill();
      },
      () => {},
    );
    // If the child has ended, its exit is handled below.
    child.stdin.on('error', () => {});
    // The pipe stays open, because the child ends when it is closed.
    child.stdin.write(`${JSON.stringify(request)}\n`);
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    try {
      await once(child, 'close');
    } catch (error) {
      throw this.#unavailable('the child process that asks it cannot be started', error);
    } finally {
      stopListening();
      settled.abort();
      await timeout;
    }
    this.#refuseIfCancelled();
    const { platform = process.platform } = this.#options;
    if (timedOut && output === '')
      throw new BudgetError('keychain_timed_out', platform === 'darwin' ? NO_ANSWER_ON_MACOS : NO_ANSWER);
    return parseJson(output);
  }

  #errorOf({ failure, message }: z.output<typeof failureSchema>): BudgetError {
    const cause = new Error(message);
    if (failure === 'missing') return this.#unavailable(reasonOfMissing(message), cause);
    const [, code = 'keychain_unavailable', meaning = `it failed: ${message}`] =
      meanings.find(([pattern]) => pattern.test(message)) ?? [];
    return code === 'keychain_unavailable'
      ? this.#unavailable(meaning, cause)
      : new BudgetError(code, meaning, { cause });
  }

  /** One sentence with the command that works, because it is the first answer of a server on such a machine. */
  #unavailable = (reason: string, cause?: unknown) =>
    new BudgetError(
      'keychain_unavailable',
      `There is no keychain to sign in with (${reason}): \`${this.#options.loginCommand ?? 'budget-mcp login'} --insecure-storage\` in a terminal keeps the sign-in in a file instead, unencrypted, or BUDGET_MCP_TOKEN provides a token.`,
      { cause },
    );

  #refuseIfCancelled(): void {
    if (this.#options.signal?.aborted)
      throw new BudgetError('cancelled', 'The call was cancelled while it waited for the keychain.');
  }
}

const NO_ANSWER =
  'The keychain of this computer does not answer. It may be waiting for the user to unlock it, or it may hang.';

const NO_ANSWER_ON_MACOS = `${NO_ANSWER} macOS asks once for each version of Node.js: choose "Always Allow" there.`;

/** Windows says in the language of the person that a DLL is missing, which the module needs. The file itself is named. */
const reasonOfMissing = (message: string): string =>
  message.includes('\\keyring.win32')
    ? 'its module cannot be loaded, because the Visual C++ Redistributable of Microsoft is missing: install it from https://aka.ms/vc14/vc_redist.x64.exe'
    : 'its module is not installed, or not for this platform';

/**
 * The meaning of the library's messages, in this order. Its errors differ only in their messages. Where there is no
 * keychain, the meaning is the reason.
 */
const meanings: readonly (readonly [message: RegExp, code: ErrorCode, meaning: string])[] = [
  [/Did not receive a reply/, 'keychain_timed_out', NO_ANSWER],
  [/was not provided by any/, 'keychain_unavailable', 'no Secret Service runs in this session'],
  [/DBus error/, 'keychain_unavailable', 'this session has no D-Bus'],
  [/no result found/, 'keychain_unavailable', 'the Secret Service of this session has no keyring yet'],
  [
    /access platform storage/,
    'keychain_locked',
    'The keychain of this computer is locked, and the user did not unlock it.',
  ],
  [
    /not valid UTF/,
    'sign_in_unreadable',
    'The entry of budget-mcp in the keychain of this computer is not text.',
  ],
];
