/** Which writes need a person's consent before they are carried out. */
import type { OperationKind } from './operation.ts';

export const confirmPolicies = ['none', 'deletes', 'writes'] as const;
export type ConfirmPolicy = (typeof confirmPolicies)[number];

/** By default a write of more rows than this needs consent. */
export const MAX_ROWS_UNASKED = 20;

interface Write {
  readonly kind: OperationKind;
  /** The argument that lists rows, for a write of several. */
  readonly batch?: string;
}

/** Whether there are calls that need consent. */
export function mayNeedConsent(policy: ConfirmPolicy, { kind, batch }: Write): boolean {
  if (kind === 'read' || policy === 'none') return false;
  return policy === 'writes' || kind === 'delete' || batch !== undefined;
}

/** Whether this call needs it; `input` is what the schema has parsed. */
export function needsConfirmation(
  policy: ConfirmPolicy,
  write: Write,
  input: Readonly<Record<string, unknown>>,
): boolean {
  if (!mayNeedConsent(policy, write)) return false;
  if (policy === 'writes' || write.kind === 'delete') return true;
  const rows = input[write.batch ?? ''];
  return Array.isArray(rows) && rows.length > MAX_ROWS_UNASKED;
}
