/** Which operations a person is asked about before they are carried out. */
import type { Effect } from './operation.ts';

export const confirmPolicies = ['none', 'deletes', 'writes'] as const;
export type ConfirmPolicy = (typeof confirmPolicies)[number];

export function needsConsent(policy: ConfirmPolicy, effect: Effect): boolean {
  if (effect === 'read' || policy === 'none') return false;
  return policy === 'writes' || effect === 'delete';
}
