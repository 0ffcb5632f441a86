/** Texts that the commands `login` and `status` share. */
import type { SignIn } from '../auth/token-store.ts';
import { quote } from '../format/text.ts';

export const signInKinds = {
  personal: 'personal access token',
  authorization_code: 'OAuth, authorization code grant',
  implicit: 'OAuth, implicit grant',
} as const satisfies Record<SignIn['kind'], string>;

/** The names are quoted: users typed them. */
export const describeBudgets = (budgets: readonly string[]) =>
  budgets.length === 0 ? 'no budget' : `the budgets ${budgets.map(quote).join(', ')}`;

const relativeTime = new Intl.RelativeTimeFormat('en');

/** A time in local time, and how far away it is. Both arguments are milliseconds since the epoch. */
export function describeTime(at: number, now: number): string {
  const local = new Date(at).toLocaleString('sv-SE', { dateStyle: 'short', timeStyle: 'short' });
  return `${local}, ${relativeTime.format(Math.round((at - now) / 60_000), 'minute')}`;
}
