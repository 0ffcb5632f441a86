/** What a generator of households for the backtest of `forecast` gives. Amounts are in cents, days are `YYYY-MM-DD`. */

export interface ForecastHousehold {
  readonly accounts: readonly {
    readonly id: string;
    readonly type: 'checking' | 'savings' | 'cash';
    /** The balance before the first event. */
    readonly opening: number;
  }[];
  /** Everything that changes a balance, oldest first. A transfer has an event on each of the two accounts. */
  readonly events: readonly {
    readonly date: string;
    readonly account: string;
    readonly amount: number;
    readonly payee: string;
    /** The other account, if this is one side of a transfer between two of the accounts. */
    readonly transferAccount?: string;
    /** The schedule that it is an entry of. */
    readonly schedule?: string;
  }[];
  /** What the person has entered as scheduled. Each is known from one day on, and until another if it was ended. */
  readonly schedules: readonly {
    readonly id: string;
    readonly account: string;
    readonly amount: number;
    readonly payee: string;
    readonly transferAccount?: string;
    readonly frequency:
      | 'weekly'
      | 'everyOtherWeek'
      | 'twiceAMonth'
      | 'monthly'
      | 'every3Months'
      | 'yearly'
      | 'never';
    readonly first: string;
    readonly knownFrom: string;
    readonly knownUntil?: string;
  }[];
  /** The first and the last day on which something could happen. Five years apart. */
  readonly begins: string;
  readonly ends: string;
}
