/**
 * The server by HTTP for the budget of one person, and the tokens that its callers must send, from the settings. They are valid
 * for this server only: the token of the budgeting service must not be one of them. A token file is read again when it changes.
 */
import { stat } from 'node:fs/promises';
import { readSecretLines } from '../../auth/secret-file.ts';
import { findProvidedToken } from '../../auth/token-provider.ts';
import { errnoOf } from '../../base/errno.ts';
import { BudgetError, invalidConfig, unusableFile } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { createAccess, describeTrust } from '../../transports/http/access.ts';
import { callerIdOf, currentCaller } from '../../transports/http/callers.ts';
import { createSingleEndpoint } from '../../transports/http/endpoint.ts';
import { summaryOf } from '../../transports/messages.ts';
import { compose, type ServerEnvironment } from '../compose/compose.ts';
import type { OpenedServer } from '../compose/hosted.ts';
import type { Config } from '../config/load-config.ts';
import { httpToken } from '../config/setting.ts';

export async function openForCallers(
  config: Config,
  environment: ServerEnvironment,
  onBug: (error: Error) => void,
): Promise<OpenedServer> {
  const { clock, log, metrics } = environment;
  const tokens = await loadHttpTokens(config, log);
  const access = createAccess({ ...config, tokens });
  const { createServer, subscriptions, onToolListChanged, close } = await compose(config, environment, {
    isToken: (token) => tokens?.known.includes(token) ?? false,
    current: currentCaller,
    named: () => tokens?.known.map(callerIdOf) ?? [],
  });
  const entry = createSingleEndpoint({
    createServer,
    subscriptions,
    onToolListChanged,
    access,
    clock,
    metrics,
    // At a higher level, anyone who can reach the server could fill the log.
    onError: (error) => log.info({ error: summaryOf(error) }, 'transport error'),
    onBug,
  });
  return { entry, notes: describeTrust(config, access), close };
}

/** Undefined if no token is configured. Throws a `BudgetError` for a file or a token that cannot be used. */
export async function loadHttpTokens(config: Config, log: Pick<Logger, 'info' | 'warn'>) {
  const { httpToken: token, httpTokenFile: path } = config;
  if (path === undefined) {
    if (token === undefined) return undefined;
    const known = await withoutServiceToken([token], config);
    return { known, current: async () => known };
  }
  if (token !== undefined)
    throw invalidConfig('Set either BUDGET_MCP_HTTP_TOKEN or --http-token-file, not both.');
  const readLines = () => readSecretLines(path, (message) => log.warn({}, message));
  const check = async (lines: readonly string[]) => withoutServiceToken(tokensIn(path, lines), config);
  // Before the file is read, so that a change during the read is noticed the next time.
  let version = await versionOf(path);
  let known = await check(await readLines());

  /**
   * If the file cannot be read, nothing changes. If it contains anything but tokens, no token is added, and the tokens
   * that are not in it any more are removed.
   */
  const readAgain = async () => {
    version = await versionOf(path);
    let lines: readonly string[] | undefined;
    try {
      lines = await readLines();
      known = await check(lines);
      log.info({ count: known.length }, 'the file of HTTP tokens was read again');
    } catch (error) {
      if (!(error instanceof BudgetError)) throw error;
      if (lines) known = known.filter((token) => lines?.includes(token));
      log.warn(
        { problem: error.message, count: known.length },
        'the file of HTTP tokens cannot be used; only the earlier tokens that are still in it stay valid',
      );
    }
  };

  let reading: Promise<void> | undefined;
  return {
    /** The tokens that were read last. */
    get known() {
      return known;
    },
    async current() {
      if ((await versionOf(path)) !== version) {
        reading ??= readAgain().finally(() => {
          reading = undefined;
        });
        await reading;
      }
      return known;
    },
  };
}

/** A text that changes whenever the content of the file may have changed. */
async function versionOf(path: string): Promise<string> {
  try {
    const { ino, size, mode, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return [ino, size, mode, mtimeNs, ctimeNs].join();
  } catch (error) {
    return errnoOf(error);
  }
}

function tokensIn(path: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) throw unusableFile(path, 'is empty');
  const isUsable = lines.every((line) => httpToken.safeParse(line).success);
  if (!isUsable) throw unusableFile(path, 'contains a line that is not a token of at least 32 characters');
  return [...new Set(lines)];
}

async function withoutServiceToken(tokens: readonly string[], config: Config): Promise<readonly string[]> {
  const provided = await findProvidedToken(config);
  // A token that cannot be read now is reported when it is needed.
  const serviceToken = await provided?.read().catch(() => undefined);
  if (serviceToken === undefined || !tokens.includes(serviceToken)) return tokens;
  throw invalidConfig(
    'The token of the budgeting service must not be a token for this server too: every caller would have full access to the service.',
  );
}
