/** Decides which writes the user has to confirm before they are sent. */
import type { JsonObject } from '../base/json.ts';
import type { OperationKind } from './operation.ts';

export const confirmPolicies = ['none', 'deletes', 'writes'] as const;
export type ConfirmPolicy = (typeof confirmPolicies)[number];

/** With the policy `deletes`, a write of more rows than this needs a confirmation. */
export const MAX_ROWS_UNCONFIRMED = 20;

interface Write {
  readonly kind: OperationKind;
  /** For a write of several rows: the argument that contains them or their number. */
  readonly batch?: string;
  /** Whether the user is asked about each call, as about a deletion. */
  readonly isConfirmed?: boolean;
}

/** Whether some calls of this write need a confirmation. */
export function mayNeedConfirmation(policy: ConfirmPolicy, write: Write): boolean {
  const { kind, batch } = write;
  if (kind === 'read' || policy === 'none') return false;
  return policy === 'writes' || isAlwaysConfirmed(write) || batch !== undefined;
}

/** Whether this call needs a confirmation. The schema has parsed `input`. `rows` is their number if it has none. */
export function needsConfirmation(
  policy: ConfirmPolicy,
  write: Write,
  input: JsonObject,
  rows?: number,
): boolean {
  if (!mayNeedConfirmation(policy, write) || rows === 0) return false;
  if (policy === 'writes' || isAlwaysConfirmed(write)) return true;
  const given = input[write.batch ?? ''];
  return (rows ?? (Array.isArray(given) ? given.length : 0)) > MAX_ROWS_UNCONFIRMED;
}

const isAlwaysConfirmed = ({ kind, isConfirmed = false }: Write) => kind === 'delete' || isConfirmed;
