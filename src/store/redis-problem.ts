/** What an error of Redis, or of the connection to it, means. No message has an address, a user or a password. */
import { ReplyError } from 'ioredis';
import { errnoOf } from '../base/errno.ts';

export interface RedisProblem {
  /** Completes "Redis is …". */
  readonly message: string;
  /** Whether the same command may succeed in a moment. */
  readonly passes: boolean;
}

/** By the first word of an error that Redis answers. */
const refusals: ReadonlyMap<string, RedisProblem> = new Map([
  ['OOM', { message: 'full', passes: false }],
  ['READONLY', { message: 'a replica that cannot be written to', passes: false }],
  ['MISCONF', { message: 'refusing to write, because it cannot save its data', passes: false }],
  ['NOREPLICAS', { message: 'refusing to write, because it has too few replicas', passes: false }],
  ['WRONGPASS', { message: 'refusing the user or the password', passes: false }],
  ['NOAUTH', { message: 'asking for a password', passes: false }],
  ['NOPERM', { message: 'not permitting this user a command that is needed', passes: false }],
  ['LOADING', { message: 'still loading its data', passes: true }],
  ['BUSY', { message: 'busy with another script', passes: true }],
  ['MASTERDOWN', { message: 'a replica without its primary', passes: true }],
]);

/** `error` is one of a command. `connectionError` is the last one of its connection, which has the reason if that was lost. */
export function redisProblemOf(error: unknown, connectionError?: Error): RedisProblem {
  if (isReply(error)) return refusalOf(error);
  if (isReply(connectionError)) return refusalOf(connectionError);
  const code = errnoOf(connectionError) || errnoOf(error);
  return { message: code === '' ? 'not answering' : `not reachable (${code})`, passes: true };
}

const isReply = (error: unknown): error is Error => error instanceof Error && error instanceof ReplyError;

/** Whether Redis has answered with an error that begins with this word. */
export const isRefusal = (error: unknown, word: string): boolean =>
  isReply(error) && error.message.startsWith(`${word} `);

function refusalOf({ message }: Error): RedisProblem {
  const [word = ''] = message.split(' ');
  return refusals.get(word) ?? { message: 'refusing a command', passes: false };
}
