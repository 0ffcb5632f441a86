/** The age and source of a result, as in the output of every tool. */
export interface Freshness {
  /** The data is as it was at this moment or later, in ISO 8601. */
  readonly as_of: string;
  /** Whether the data was read from the service just now, or from the replica. */
  readonly source: 'service' | 'replica';
  /** The number of requests that are left in this hour, as far as it is known. */
  readonly requests_left: number;
  /** Why the data is older than it should be. */
  readonly stale_reason?: string;
  /** When the sign-in ends, in ISO 8601. Present if that is soon and only the user can renew it. */
  readonly sign_in_ends?: string;
  /** How the clock of this machine, by which all times are, differs from that of the service. */
  readonly clock?: string;
}
