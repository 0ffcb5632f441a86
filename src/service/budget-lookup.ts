/**
 * Finds the ledger for the `{budget_id}` of a path: an id, `last-used` or `default` (docs/interface.md, Endpoints).
 * A token gives access to the budgets of its own user only. Other budgets are reported as not existing.
 */
import { createMiddleware } from 'hono/factory';
import type { Grant, User } from './access.ts';
import type { Authenticated } from './authentication.ts';
import { orNotFound } from './errors.ts';
import type { Ledger } from './ledger.ts';

interface WithLedger extends Authenticated {
  Variables: Authenticated['Variables'] & { ledger: Ledger };
}

/** Sets `ledger` for a route, advanced to the time of the request. 404.2 when the user has no such budget. */
export const budget = createMiddleware<WithLedger>(async (c, next) => {
  const { grant, now } = c.var;
  c.set('ledger', orNotFound(findLedger(c.req.param('budget_id'), grant, now), 'budget'));
  await next();
});

/** The user's ledgers, each advanced to the time of the request. */
export function ledgersOf(user: User, now: number): readonly Ledger[] {
  for (const ledger of user.ledgers) ledger.advanceTo(now);
  return user.ledgers;
}

function findLedger(budgetId: string | undefined, grant: Grant, now: number): Ledger | undefined {
  const ledgers = ledgersOf(grant.user, now);
  if (budgetId === 'last-used') return lastModified(ledgers);
  const id = budgetId === 'default' ? grant.defaultBudgetId : budgetId;
  return ledgers.find((ledger) => ledger.id === id);
}

/** Timestamps have a fixed format, so they can be compared as text. */
function lastModified(ledgers: readonly Ledger[]): Ledger | undefined {
  const modifiedOn = (ledger: Ledger) => ledger.summary().last_modified_on;
  return ledgers.toSorted((a, b) => modifiedOn(b).localeCompare(modifiedOn(a)))[0];
}
