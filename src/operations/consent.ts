/** Which writes need a person's consent before they are carried out. */
import type { Operation } from './operation.ts';

export const confirmPolicies = ['none', 'deletes', 'writes'] as const;
export type ConfirmPolicy = (typeof confirmPolicies)[number];

/** A write that creates or changes more rows than this needs consent by default. */
export const MAX_ROWS_UNASKED = 20;

const ROWS = 'transactions';

/** Whether there are calls of the operation that need consent. */
export function mayNeedConsent(policy: ConfirmPolicy, { kind, input }: Operation): boolean {
  if (kind === 'read' || policy === 'none') return false;
  return policy === 'writes' || kind === 'delete' || ROWS in input.shape;
}

/** Whether this call needs it; `input` is what the operation's schema has parsed. */
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
