/**
 * Sign-ins in the keychain of the operating system: Keychain on macOS, the Credential Manager on Windows, the Secret
 * Service on Linux. It knows how keychains fail and says so in words; each question is asked by a process of its own,
 * `keychain-child.ts`, which is killed when its time is up. It must not know the keychain library.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { BudgetError, type ErrorCode } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import { parseJson } from '../platform/json.ts';
import { answerSchema, type KeychainFailure, type KeychainRequest } from './keychain-messages.ts';
import { type CanReplace, parseSignIn, type SignIn, type TokenStore } from './token-store.ts';

export interface KeychainTokenStoreOptions {
  /** Of `keychain-child.ts` as it was built. */
  readonly childPath: string;
  /** Where the user's session is found; only what serves that is passed on. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** For one question. */
  readonly timeoutMs: number;
  /** Ends what is being asked: whoever waits has given up. */
  readonly signal?: AbortSignal | undefined;
  readonly platform?: NodeJS.Platform;
}

const SERVICE = 'budget-mcp';

/** Of an entry, on Windows. */
const MAX_CHARACTERS = 1_280;

/** Where D-Bus is found, and what makes Node of an Electron that runs us. */
const PASSED_ON = ['DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR', 'HOME', 'ELECTRON_RUN_AS_NODE'];

export class KeychainTokenStore implements TokenStore {
  readonly place = 'the keychain of this computer';
  readonly #childPath: string;
  readonly #env: Record<string, string | undefined>;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #signal: AbortSignal | undefined;
  readonly #platform: NodeJS.Platform;

  constructor({
    childPath,
    env,
    clock,
    timeoutMs,
    signal,
    platform = process.platform,
  }: KeychainTokenStoreOptions) {
    this.#childPath = childPath;
    this.#env = Object.fromEntries(PASSED_ON.map((name) => [name, env[name]]));
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#signal = signal;
    this.#platform = platform;
  }

  async read(profile: string): Promise<SignIn | undefined> {
    const password = await this.#ask({ operation: 'get', service: SERVICE, account: profile });
    return password === null ? undefined : parseSignIn(String(password), this.place);
  }

  async write(profile: string, signIn: SignIn, mayReplace: CanReplace = () => true): Promise<boolean> {
    const password = JSON.stringify(signIn);
    if (this.#platform === 'win32' && password.length > MAX_CHARACTERS)
      throw new BudgetError(
        'sign_in_too_large',
        `The sign-in takes ${password.length} characters, and an entry of the Windows keychain holds ${MAX_CHARACTERS}.`,
      );
    // What cannot be read may still be good: it is not replaced unseen.
    if (!mayReplace(await this.read(profile))) return false;
    await this.#ask({ operation: 'set', service: SERVICE, account: profile, password });
    return true;
  }

  async remove(profile: string): Promise<boolean> {
    const wasThere = await this.#ask({ operation: 'delete', service: SERVICE, account: profile });
    // macOS does not tell whether it has removed it.
    if ((await this.#ask({ operation: 'get', service: SERVICE, account: profile })) !== null)
      throw new BudgetError('keychain_unavailable', 'The keychain still has the sign-in after removing it.');
    return wasThere === true;
  }

  async #ask(request: KeychainRequest): Promise<string | boolean | null> {
    const answer = answerSchema.safeParse(await this.#answerOf(request));
    if (!answer.success)
      throw new BudgetError(
        'keychain_unavailable',
        'The part of budget-mcp that asks the keychain has ended without an answer.',
      );
    if ('failure' in answer.data) throw toBudgetError(answer.data);
    return answer.data.result;
  }

  /** What the child says, not yet looked at; undefined where that is nothing of use. */
  async #answerOf(request: KeychainRequest): Promise<unknown> {
    this.#refuseIfCancelled();
    const child = spawn(process.execPath, [this.#childPath], {
      env: this.#env,
      stdio: ['pipe', 'pipe', 'ignore'],
      windowsHide: true,
    });
    const settled = new AbortController();
    const giveUp = () => child.kill('SIGKILL');
    this.#signal?.addEventListener('abort', giveUp, { signal: settled.signal });
    let timedOut = false;
    const timeout = this.#clock.sleep(this.#timeoutMs, settled.signal).then(
      () => {
        timedOut = true;
        child.kill('SIGKILL');
      },
      () => {},
    );
    // A child that has ended says more by how it ended.
    child.stdin.on('error', () => {});
    // The pipe stays open: its end would end the child.
    child.stdin.write(`${JSON.stringify(request)}\n`);
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    try {
      await once(child, 'close');
    } catch (error) {
      throw new BudgetError(
        'keychain_unavailable',
        'The part of budget-mcp that asks the keychain cannot be started.',
        { cause: error },
      );
    } finally {
      settled.abort();
      await timeout;
    }
    this.#refuseIfCancelled();
    if (timedOut && said === '') throw new BudgetError('keychain_timed_out', SILENT);
    return parseJson(said);
  }

  #refuseIfCancelled(): void {
    if (this.#signal?.aborted) throw new BudgetError('cancelled', 'The keychain was not waited for.');
  }
}

const SILENT =
  'The keychain of this computer does not answer. It may be waiting for the user to unlock it, or be stuck.';

/** What the library's messages mean, which alone tell its errors apart. */
const meanings: readonly (readonly [message: RegExp, code: ErrorCode, meaning: string])[] = [
  [/Did not receive a reply/, 'keychain_timed_out', SILENT],
  [
    /was not provided by any/,
    'keychain_unavailable',
    'No Secret Service, which is what keeps secrets on Linux, runs in this session.',
  ],
  [/DBus error/, 'keychain_unavailable', 'There is no D-Bus session, by which secrets are kept on Linux.'],
  [
    /no result found/,
    'keychain_unavailable',
    'The Secret Service of this session has no keyring yet to keep a sign-in in.',
  ],
  [
    /access platform storage/,
    'keychain_locked',
    'The keychain of this computer is locked, and was not unlocked when it was asked.',
  ],
  [
    /not valid UTF/,
    'sign_in_unreadable',
    'What the keychain of this computer holds for budget-mcp is no sign-in.',
  ],
];

function toBudgetError({ failure, message }: KeychainFailure): BudgetError {
  const options = { cause: new Error(message) };
  if (failure === 'missing')
    return new BudgetError(
      'keychain_unavailable',
      'The keychain module of budget-mcp is not installed, or not for this kind of computer.',
      options,
    );
  const [, code, meaning] = meanings.find(([pattern]) => pattern.test(message)) ?? [];
  return code && meaning
    ? new BudgetError(code, meaning, options)
    : new BudgetError('keychain_unavailable', `The keychain of this computer failed: ${message}.`, options);
}
