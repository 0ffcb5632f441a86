/** Whether the requests of the hour suffice for a write of several operations, and what to do if they do not. */
import { BudgetError } from '../base/errors.ts';
import { sumOf } from '../model/sums/sum.ts';
import { MAX_ROWS_UNCONFIRMED } from '../operations/consent.ts';
import type { BudgetCall } from '../session/budget-call.ts';
import type { ClientStatus } from '../session/client-status.ts';
import type { TextPart } from './text.ts';

type Requests = ClientStatus['requests'];

type Call = Pick<BudgetCall, 'status'>;

/** When so many requests are left, in ISO 8601. */
const freeAt = ({ left, returnsAt, allBackAt }: Requests, needed: number): string =>
  new Date(returnsAt[needed - left - 1] ?? allBackAt).toISOString();

/**
 * Several writes are not begun if the hour has not enough requests to complete them. `nothingDone` says in words that
 * nothing was done. Throws `rate_budget_spent`.
 */
export async function checkRequestsLeft(call: Call, needed: number, nothingDone: string): Promise<void> {
  const { requests } = await call.status();
  const { left, limit } = requests;
  if (needed <= left) return;
  const advice =
    needed > limit
      ? `The service allows ${limit} in an hour: do it in parts, with fewer things in each call.`
      : `That many are free at ${freeAt(requests, needed)}.`;
  throw new BudgetError(
    'rate_budget_spent',
    `This call ${nothingDone}: it needs ${needed} requests, and ${left} are left. ${advice}`,
  );
}

/**
 * How many of several writes can be sent now: all, or, if an hour never has enough requests for all, as many as are left for. Each costs
 * `costs` requests, and all together `fixed` more. Throws `rate_budget_spent` if too few are left.
 */
export async function sendableNow(
  call: Call,
  costs: readonly number[],
  fixed: number,
  nothingDone: string,
): Promise<number> {
  const { left, limit } = (await call.status()).requests;
  const needed = sumOf(costs, (each) => each) + fixed;
  // One is spent on what was read for it.
  const areTooMany = needed >= limit;
  await checkRequestsLeft(call, areTooMany ? Math.ceil(limit / 2) : needed, nothingDone);
  if (!areTooMany) return costs.length;
  let open = left - fixed;
  return costs.findIndex((cost) => {
    open -= cost;
    return open < 0;
  });
}

/** When a half of the hour's requests is left, with which the next part can be sent. */
export async function nextPartAt(call: Call): Promise<string> {
  const { requests } = await call.status();
  return freeAt(requests, Math.ceil(requests.limit / 2));
}

/** Without a cache, `undo` also reads each row twice before it deletes it, and once after that. */
const REQUESTS_UNCACHED = 4;

/** What a write of so many rows means for `undo`, which deletes one at a time. False if that is possible in an hour. */
export async function undoneInParts(
  call: Call & Pick<BudgetCall, 'cachedReplica'>,
  rows: number,
): Promise<TextPart> {
  if (rows <= MAX_ROWS_UNCONFIRMED) return false;
  const { limit } = (await call.status()).requests;
  const needed = rows * (call.cachedReplica ? 1 : REQUESTS_UNCACHED) + 1;
  if (needed < limit) return false;
  return `undo would need ${needed} requests to delete these again, and the service allows ${limit} in an hour: it takes them back in parts, an hour after another.`;
}
