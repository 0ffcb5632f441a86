/**
 * `budget-mcp status`, which shows the stored sign-in, and `budget-mcp logout`, which removes it and says what the user has to
 * revoke at the service. And how sign-ins are described.
 */
import { choiceIn, describeBudgets, describeDefaultOf } from '../../auth/checked-sign-in.ts';
import type { SignIn } from '../../auth/token-store.ts';
import type { BudgetChoice } from '../../base/default-budget.ts';
import { BudgetError } from '../../base/errors.ts';
import type { Config } from '../config/load-config.ts';
import type { SignInContext } from './sign-in-context.ts';

const signInKinds = {
  personal: 'personal access token',
  authorization_code: 'OAuth, authorization code grant',
  implicit: 'OAuth, implicit grant',
} as const satisfies Record<SignIn['kind'], string>;

/** Where a person makes and revokes tokens (docs/interface.md, Personal access tokens). */
export const developerSettings = (appUrl: string | undefined) =>
  appUrl === undefined
    ? 'the developer settings of the service'
    : `the developer settings, ${appUrl}/settings/developer`;

const relativeTime = new Intl.RelativeTimeFormat('en');

/** A time in local time, and how far away it is. Both arguments are milliseconds since the epoch. */
export function describeTime(at: number, now: number): string {
  const local = new Date(at).toLocaleString('sv-SE', { dateStyle: 'short', timeStyle: 'short' });
  return `${local}, ${relativeTime.format(Math.round((at - now) / 60_000), 'minute')}`;
}

export interface StatusDeps
  extends Pick<SignInContext, 'loginCommand' | 'clock' | 'budgets' | 'providedToken' | 'signal'> {
  readonly store: Pick<SignInContext['store'], 'place' | 'read'>;
  readonly io: Pick<SignInContext['io'], 'stdout'>;
}

export type StatusConfig = Pick<Config, 'profile' | 'budget'>;

/** The settings count more than what was chosen at the sign-in, as in the server. */
export const choiceBy = (
  { budget }: Pick<Config, 'budget'>,
  signIn: SignIn | undefined,
): BudgetChoice | undefined => (budget === undefined ? choiceIn(signIn) : { by: 'settings', budget });

/** Never shows the token. Throws a `BudgetError` if the store cannot be read, which is not the same as not being signed in. */
export async function runStatus(config: StatusConfig, deps: StatusDeps): Promise<void> {
  const { profile } = config;
  const { store, loginCommand, clock, budgets, providedToken, io, signal } = deps;
  const provided = await providedToken();
  const rows = provided
    ? [
        ['token', `provided by ${provided.place}, used instead of every stored sign-in`],
        ...(await accessRows()),
      ]
    : await storedRows();
  io.stdout.write(rows.map(([name = '', value = '']) => `${name.padEnd(9)}${value}\n`).join(''));

  async function accessRows(signIn?: SignIn): Promise<string[][]> {
    try {
      const list = await budgets(signal);
      const choice = choiceBy(config, signIn);
      return [
        ['access', describeBudgets(list)],
        ['default', describeDefaultOf(list, choice)],
      ];
    } catch (error) {
      return [['access', describeFailure(error)]];
    }
  }

  async function storedRows(): Promise<string[][]> {
    const place = ['stored', `in ${store.place}`];
    const before = await store.read(profile);
    if (!before) return [['profile', `${profile}, not signed in; run \`${loginCommand}\``], place];
    const access = await accessRows(before);
    // The request may have refreshed the sign-in.
    const signIn = await store.read(profile);
    return [['profile', profile], ...(signIn ? signInRows(signIn, clock.now()) : []), place, ...access];
  }
}

function signInRows(signIn: SignIn, now: number): string[][] {
  const where = ['service', signIn.baseUrl];
  const kind = ['kind', signInKinds[signIn.kind]];
  if (signIn.kind === 'personal')
    return [where, kind, ['scope', 'full'], ['ends', 'when it is revoked at the service']];
  const renewal = {
    authorization_code: 'renewed automatically',
    implicit: 'sign in again then',
  }[signIn.kind];
  return [
    where,
    kind,
    ['scope', signIn.scope],
    ['ends', `${describeTime(signIn.expiresAt, now)}; ${renewal}`],
  ];
}

function describeFailure(error: unknown): string {
  if (!(error instanceof BudgetError)) throw error;
  return `could not be checked: ${error.explanation}`;
}

interface LogoutDeps extends Pick<SignInContext, 'removeState' | 'lock' | 'store'> {
  readonly io: Pick<SignInContext['io'], 'stdout'>;
}

/** Throws a `BudgetError` if the store cannot be read. The sign-in may still be stored then. */
export async function runLogout({ profile }: { profile: string }, deps: LogoutDeps): Promise<void> {
  const { store, removeState, lock, io } = deps;
  // Only needed for the message and for the state. A sign-in that cannot be read is removed too.
  const signIn = await store.read(profile).catch((error: unknown) => {
    if (error instanceof BudgetError && error.code === 'sign_in_unreadable') return undefined;
    throw error;
  });
  const say = (text: string) => io.stdout.write(`${text}\n`);
  const isStateRemoved = await lock(profile, async () => {
    const wasThere = await store.remove(profile);
    // Before anything else can fail.
    say(
      wasThere
        ? `The sign-in of profile "${profile}" was removed from ${store.place}. A running server stops using it within two minutes. The token was not revoked: the service does not let this program do that. ${revocationAdvice(signIn)}`
        : `Profile "${profile}" has no sign-in in ${store.place}. Nothing was changed.`,
    );
    // Its content cannot be read without the key, so the state of a sign-in that cannot be read may stay.
    return removeState(profile, signIn);
  });
  if (!isStateRemoved) say(STATE_IN_USE);
}

/** Windows keeps a file that a program has open. */
export const STATE_IN_USE =
  'A running server still has files of its state open. They were emptied, and the next server that starts after it has ended removes them.';

function revocationAdvice(signIn: SignIn | undefined): string {
  const copies = 'A copy of the token can be used until you revoke it in';
  if (!signIn) return `${copies} the service.`;
  if (signIn.kind === 'personal') return `${copies} ${developerSettings(signIn.appUrl)}.`;
  return `To end the application's access, revoke it in the settings of ${signIn.appUrl}.`;
}
