/** Which writes need the user's consent. */
import type { Operation } from './operation.ts';

export const confirmPolicies = ['none', 'deletes', 'writes'] as const;
export type ConfirmPolicy = (typeof confirmPolicies)[number];

/** By default a write of more rows than this needs consent. */
export const MAX_ROWS_UNASKED = 20;

const ROWS = 'transactions';

/** Whether any call of the operation can need consent. */
export function mayNeedConsent(policy: ConfirmPolicy, { kind, input }: Operation): boolean {
  if (kind === 'read' || policy === 'none') return false;
  return policy === 'writes' || kind === 'delete' || ROWS in input.shape;
}

/** Whether this call needs consent. `input` is parsed by the operation's schema. */
export function needsConfirmation(
  policy: ConfirmPolicy,
  operation: Operation,
  input: Readonly<Record<string, unknown>>,
): boolean {
  if (!mayNeedConsent(policy, operation)) return false;
  if (policy === 'writes' || operation.kind === 'delete') return true;
  const rows = input[ROWS];
  return Array.isArray(rows) && rows.length > MAX_ROWS_UNASKED;
}
