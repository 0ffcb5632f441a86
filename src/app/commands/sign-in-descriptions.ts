/** Texts that the commands `login`, `logout` and `status` share. */
import type { SignIn } from '../../auth/token-store.ts';

export const signInKinds = {
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
