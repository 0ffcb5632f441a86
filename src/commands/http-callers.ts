/**
 * The tokens of those who may call by HTTP, from the settings. They open this server and nothing else: the token that
 * opens the budgeting service is never one of them.
 */
import { handedToken } from '../auth/handed-tokens.ts';
import { readSecretFile, unusable, type Warn } from '../auth/secret-file.ts';
import type { Config } from '../config/load-config.ts';
import { httpToken } from '../config/settings.ts';
import { BudgetError } from '../errors.ts';

/** As mounted secrets are: others may read the file, but not write it. */
const RULES = { forbidden: 0o022, own: false, limit: 2 ** 16 };

/** None where none is asked for. Throws a `BudgetError` for a file or a token that cannot be used. */
export async function httpTokens(config: Config, warn?: Warn): Promise<readonly string[]> {
  const tokens = await givenTokens(config, warn);
  if (tokens.length === 0) return tokens;
  const handed = await handedToken(config);
  // What cannot be read now is told when it is needed.
  const ofService = await handed?.read().catch(() => undefined);
  if (ofService !== undefined && tokens.includes(ofService))
    throw new BudgetError(
      'invalid_configuration',
      'The token of the budgeting service must not be a token for this server too: whoever calls it would hold the budget itself.',
    );
  return tokens;
}

async function givenTokens(config: Config, warn?: Warn): Promise<readonly string[]> {
  const path = config.httpTokenFile;
  if (path === undefined) return config.httpToken === undefined ? [] : [config.httpToken];
  if (config.httpToken !== undefined)
    throw new BudgetError(
      'invalid_configuration',
      'Give either BUDGET_MCP_HTTP_TOKEN or --http-token-file: with both, nobody knows which is meant.',
    );
  const text = await readSecretFile(path, { ...RULES, ...(warn && { warn }) });
  if (text === undefined) throw unusable(path, 'does not exist');
  const lines = text.split(/\r?\n/).filter((line) => line !== '');
  if (lines.length === 0) throw unusable(path, 'is empty');
  const isUsable = lines.every((line) => httpToken.safeParse(line).success);
  if (!isUsable) throw unusable(path, 'holds a line that is no token of at least 32 characters');
  return [...new Set(lines)];
}
