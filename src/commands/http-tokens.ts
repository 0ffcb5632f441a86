/**
 * The tokens of those who may call by HTTP, from the settings. They open this server and nothing else: the token that
 * opens the budgeting service is never one of them. A file of tokens counts as it is at the moment.
 */
import { stat } from 'node:fs/promises';
import { findProvidedToken } from '../auth/provided-token.ts';
import { errnoOf, readSecretFile, unusableFileError } from '../auth/secret-file.ts';
import type { Config } from '../config/load-config.ts';
import { httpToken } from '../config/settings.ts';
import { BudgetError } from '../errors.ts';
import type { Logger } from '../platform/log.ts';
import type { CallerTokens } from '../transports/http/callers.ts';

/** As mounted secrets are: others may read the file, but not write it. */
const RULES = { forbidden: 0o022, own: false, limit: 2 ** 16 };

export interface HttpTokens extends CallerTokens {
  /** As they were read last. */
  readonly known: readonly string[];
}

/** Undefined where none is asked for. Throws a `BudgetError` for a file or a token that cannot be used. */
export async function loadHttpTokens(
  config: Config,
  log: Pick<Logger, 'info' | 'warn'>,
): Promise<HttpTokens | undefined> {
  const { httpToken: token, httpTokenFile: path } = config;
  if (path === undefined) {
    if (token === undefined) return undefined;
    const known = await withoutServiceToken([token], config);
    return { known, current: async () => known };
  }
  if (token !== undefined)
    throw new BudgetError(
      'invalid_configuration',
      'Give either BUDGET_MCP_HTTP_TOKEN or --http-token-file: with both, nobody knows which is meant.',
    );
  const readLines = () => readTokenLines(path, log);
  const check = async (lines: readonly string[]) => withoutServiceToken(tokensIn(path, lines), config);
  const version = await versionOf(path);
  return new TokenFile({ path, log, readLines, check, version, tokens: await check(await readLines()) });
}

interface TokenFileOptions {
  readonly path: string;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly readLines: () => Promise<readonly string[]>;
  /** The tokens that the lines are; throws where one of them cannot be one. */
  readonly check: (lines: readonly string[]) => Promise<readonly string[]>;
  /** From before `tokens` were read. */
  readonly version: string;
  readonly tokens: readonly string[];
}

/** Tokens in a file that is read again whenever it has changed. */
class TokenFile implements HttpTokens {
  readonly #options: TokenFileOptions;
  #version: string;
  #known: readonly string[];
  /** One reading for all who wait for it. */
  #reading: Promise<void> | undefined;

  constructor(options: TokenFileOptions) {
    this.#options = options;
    this.#version = options.version;
    this.#known = options.tokens;
  }

  get known(): readonly string[] {
    return this.#known;
  }

  async current(): Promise<readonly string[]> {
    if ((await versionOf(this.#options.path)) !== this.#version) {
      this.#reading ??= this.#read().finally(() => {
        this.#reading = undefined;
      });
      await this.#reading;
    }
    return this.#known;
  }

  /**
   * A file that cannot be read changes nothing. One that holds something else than tokens adds none, and those that are
   * not in it any more are removed.
   */
  async #read(): Promise<void> {
    const { path, log, readLines, check } = this.#options;
    // What changes while it is read is noticed the next time.
    this.#version = await versionOf(path);
    let lines: readonly string[] | undefined;
    try {
      lines = await readLines();
      this.#known = await check(lines);
      log.info({ count: this.#known.length }, 'the file of HTTP tokens was read again');
    } catch (error) {
      if (!(error instanceof BudgetError)) throw error;
      if (lines) this.#known = this.#known.filter((token) => lines?.includes(token));
      log.warn(
        { problem: error.message, count: this.#known.length },
        'the file of HTTP tokens cannot be used: of the tokens before, those that are still in it stay valid',
      );
    }
  }
}

/** Differs whenever the file may hold something else. */
async function versionOf(path: string): Promise<string> {
  try {
    const { ino, size, mode, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return [ino, size, mode, mtimeNs, ctimeNs].join();
  } catch (error) {
    return errnoOf(error);
  }
}

async function readTokenLines(path: string, log: Pick<Logger, 'warn'>): Promise<readonly string[]> {
  const text = await readSecretFile(path, { ...RULES, warn: (message) => log.warn({}, message) });
  if (text === undefined) throw unusableFileError(path, 'does not exist');
  return text.split(/\r?\n/).filter((line) => line !== '');
}

function tokensIn(path: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) throw unusableFileError(path, 'is empty');
  const isUsable = lines.every((line) => httpToken.safeParse(line).success);
  if (!isUsable) throw unusableFileError(path, 'holds a line that is no token of at least 32 characters');
  return [...new Set(lines)];
}

async function withoutServiceToken(tokens: readonly string[], config: Config): Promise<readonly string[]> {
  const handed = await findProvidedToken(config);
  // What cannot be read now is told when it is needed.
  const ofService = await handed?.read().catch(() => undefined);
  if (ofService === undefined || !tokens.includes(ofService)) return tokens;
  throw new BudgetError(
    'invalid_configuration',
    'The token of the budgeting service must not be a token for this server too: whoever calls it would hold the budget itself.',
  );
}
