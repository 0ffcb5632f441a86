/** What a review finds. The pages of views know the kinds too, so nothing is imported here. */

/** In the order in which they are shown. */
export const findingKinds = [
  'likely_duplicate',
  'transfer_pair',
  'unusual_amount',
  'against_habit',
  'legs_missing',
  'payee_seen_first',
] as const;

export type FindingKind = (typeof findingKinds)[number];
