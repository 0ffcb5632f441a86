/** The checks of `budget-mcp doctor`. Each gives a line for a person, without any secret. */
import { randomBytes, randomUUID } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { describeDefaultOf } from '../../auth/checked-sign-in.ts';
import type { Clock } from '../../base/clock.ts';
import { clockAhead, describeClock } from '../../base/clock-difference.ts';
import { type BudgetChoice, budgetsAnswer } from '../../base/default-budget.ts';
import { undefinedIfMissing } from '../../base/errno.ts';
import { BudgetError } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import { removeState, SharedStores } from '../../store/shared-stores.ts';
import { sharingOf } from '../compose/places.ts';
import type { Config } from '../config/load-config.ts';
import type { Machine } from '../hosts/host-paths.ts';
import { thisMachine } from './install.ts';
import type { SignInContext } from './sign-in-context.ts';
import { choiceBy, describeTime } from './status.ts';

export interface Check {
  readonly level: 'ok' | 'warn' | 'fail';
  /** The name of the check, in one or two words. */
  readonly name: string;
  readonly text: string;
}

/** A token to ask the service with. */
export interface Access {
  readonly baseUrl: string;
  readonly token: string;
  /** The token has ended, and the server renews it with the next question. */
  readonly isRenewedLater: boolean;
  readonly choice: BudgetChoice | undefined;
}

export const checkOf = (name: string, level: Check['level'], text: string): Check => ({ level, name, text });

const signInCheck = (level: Check['level'], text: string) => ({ check: checkOf('sign-in', level, text) });

export async function checkSignIn(
  config: Pick<Config, 'profile' | 'baseUrl' | 'budget'>,
  { providedToken, store, loginCommand, clock }: SignInContext,
): Promise<{ check: Check; access?: Access }> {
  const { profile, baseUrl } = config;
  try {
    const provided = await providedToken();
    if (provided) {
      const token = await provided.read();
      const text = `a token is provided by ${provided.place}`;
      if (baseUrl === undefined)
        return signInCheck('fail', `${text}; --service or --base-url must say for which service.`);
      const choice = choiceBy(config, undefined);
      return { ...signInCheck('ok', text), access: { baseUrl, token, isRenewedLater: false, choice } };
    }
    const signIn = await store.read(profile);
    if (!signIn)
      return signInCheck(
        'warn',
        `${store.place} can be read; profile "${profile}" is not signed in. Run \`${loginCommand}\`.`,
      );
    const where = `profile "${profile}" is signed in to ${signIn.baseUrl}`;
    if (baseUrl !== undefined && signIn.baseUrl !== baseUrl)
      return signInCheck('fail', `${where}, not to ${baseUrl}. Run \`${loginCommand}\`.`);
    const text = `${where}, stored in ${store.place}`;
    const hasEnded = signIn.kind !== 'personal' && signIn.expiresAt <= clock.now();
    if (signIn.kind === 'implicit' && hasEnded) {
      const ended = describeTime(signIn.expiresAt, clock.now());
      return signInCheck('fail', `${text}; it ended ${ended}. Run \`${loginCommand}\`.`);
    }
    const choice = choiceBy(config, signIn);
    const access = { baseUrl: signIn.baseUrl, token: signIn.accessToken, isRenewedLater: hasEnded, choice };
    return { ...signInCheck('ok', text), access };
  } catch (error) {
    return signInCheck('fail', explanationOf(error));
  }
}

/** Opens a state of its own and removes it, because a full disk shows only then. */
export async function checkState(config: Config, clock: Clock): Promise<Check> {
  const sharing = sharingOf(config);
  const owner = { signIn: randomUUID(), baseUrl: '' };
  const stores = new SharedStores({ sharing, clock, warn: () => {} });
  await stores.open(owner, async () => randomBytes(32));
  const { shared, reason = '' } = stores.statusOf(owner);
  await stores.close();
  // The directory may be unusable, which is reported already.
  await removeState(sharing, owner).catch(() => {});
  if (shared && 'directory' in sharing) {
    const { directory } = sharing;
    return (await isRedirected(directory))
      ? checkOf('state', 'warn', `${directory} lies in AppData. ${REDIRECTED}`)
      : checkOf('state', 'ok', `processes of this user share ${directory}`);
  }
  const text = `every process keeps its own state, in memory, and counts only its own requests. ${reason}`;
  return checkOf('state', config.noState ? 'ok' : 'warn', text);
}

const REDIRECTED =
  'Packaged programs such as Claude Desktop see another folder there, so that their server does not share the state: choose a folder outside it with --state-dir.';

/** True if Windows may show another folder to some programs. */
export async function isRedirected(
  directory: string,
  { platform, home }: Pick<Machine, 'platform' | 'home'> = thisMachine(),
): Promise<boolean> {
  if (platform !== 'win32') return false;
  const [data, real] = await Promise.all(
    [join(home, 'AppData'), directory].map((each) => realpath(each).catch(undefinedIfMissing)),
  );
  if (data === undefined || real === undefined) return false;
  const path = relative(data, real);
  return !path.startsWith('..') && !isAbsolute(path);
}

export function checkProxy({ proxy }: Pick<Config, 'proxy'>): Check {
  const { httpProxy, httpsProxy, noProxy } = proxy;
  // The user and password of a proxy are not shown.
  const used = [httpsProxy, httpProxy].filter(Boolean).map((url) => new URL(url).host);
  const text =
    used.length === 0 || noProxy === '*'
      ? 'none is set'
      : `${[...new Set(used)].join(' and ')}, except for ${noProxy}`;
  return checkOf('proxy', 'ok', text);
}

/** Reads the list of budgets with the token, names the default one, and compares the clocks by the answer. */
export async function checkService(
  { send, clock, signal }: SignInContext,
  access: Access,
): Promise<readonly Check[]> {
  try {
    const sentAt = clock.now();
    const { status, headers, body } = await send(
      {
        method: 'GET',
        url: `${access.baseUrl}/budgets`,
        headers: { authorization: `Bearer ${access.token}`, accept: 'application/json' },
      },
      signal,
    );
    const ahead = clockAhead(headers['date'], { sentAt, receivedAt: clock.now() });
    const where = new URL(access.baseUrl).host;
    const { data: list } = budgetsAnswer.safeParse(parseJson(body));
    const checks = list
      ? [
          networkCheck('ok', `${where} answers, and accepts the token`),
          checkOf('default', 'ok', `the budget ${describeDefaultOf(list.data, access.choice)}`),
        ]
      : [checkStatus(status, where, access)];
    return [...checks, ...checkClock(ahead)];
  } catch (error) {
    return [networkCheck('fail', explanationOf(error))];
  }
}

const networkCheck = (level: Check['level'], text: string) => checkOf('network', level, text);

function checkStatus(status: number, where: string, { isRenewedLater }: Access): Check {
  if (status === 401 && isRenewedLater)
    return networkCheck('ok', `${where} answers; the token has ended, and the next question renews it`);
  if (status === 401)
    return networkCheck(
      'fail',
      `${where} does not accept the token: a new one is needed, from \`budget-mcp login\` or where it is provided.`,
    );
  if (status === 403)
    return networkCheck('fail', `${where} refuses this account. Sign in there to see its subscription.`);
  if (status === 429)
    return networkCheck('warn', `${where} answers, but the requests of this hour are used up.`);
  if (status >= 500)
    return networkCheck('warn', `${where} fails at the moment (${status}). Try again in some minutes.`);
  return networkCheck(
    'fail',
    `${where} does not answer as the service does (${status}). Check the base URL, the proxy, and whether the network asks for a sign-in.`,
  );
}

const FAILING_MS = 5 * 60_000;

/** Dates and the ends of tokens are wrong with a wrong clock. `aheadMs` is how much it is ahead of that of the service. */
function checkClock(aheadMs: number | undefined): readonly Check[] {
  if (aheadMs === undefined) return [];
  const difference = describeClock(aheadMs);
  if (difference === undefined) return [checkOf('clock', 'ok', 'agrees with that of the service')];
  return [checkOf('clock', Math.abs(aheadMs) < FAILING_MS ? 'warn' : 'fail', `${difference} Set it.`)];
}

/** Throws any error that is a bug. */
function explanationOf(error: unknown): string {
  if (error instanceof BudgetError) return error.explanation;
  throw error;
}
