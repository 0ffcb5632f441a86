/** How old an answer is, as every tool says it. */
export interface Freshness {
  /** The answer held at this moment, as ISO 8601, or changed after it. */
  readonly as_of: string;
  /** Asked of the service just now, or taken from the replica. */
  readonly source: 'service' | 'replica';
  /** How many requests the service still allows in this hour, as far as is known. */
  readonly requests_left: number;
  /** Why the answer is older than it should be. */
  readonly stale_reason?: string;
  /** When the sign-in ends, as ISO 8601, where that is soon and only the user can renew it. */
  readonly sign_in_ends?: string;
}
