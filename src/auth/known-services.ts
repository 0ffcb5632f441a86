/** The public services with this interface, by the name that a person types. */

export interface KnownService {
  /** With the version segment, without a trailing slash. */
  readonly baseUrl: string;
  /** Where people sign in and find their developer settings. */
  readonly appUrl: string;
}

export const knownServices: ReadonlyMap<string, KnownService> = new Map([
  ['ynab', { baseUrl: 'https://api.ynab.com/v1', appUrl: 'https://app.ynab.com' }],
]);

/** The name and the addresses of the public service at this address. Undefined if there is none. */
export const serviceAt = (address: string | undefined) =>
  [...knownServices].find(([, { baseUrl }]) => baseUrl === address);
