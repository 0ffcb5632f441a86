/**
 * `budget-mcp service`: runs only the embedded budgeting service, to test clients against it. This file starts and stops
 * the service. It knows nothing about argument parsing or process exit.
 */
import { once } from 'node:events';
import { z } from 'zod';
import { systemClock } from '../../base/clock.ts';
import { errnoOf } from '../../base/errno.ts';
import { invalidConfig } from '../../base/errors.ts';
import { MIN_CATEGORIES, MIN_PAYEES, minTransactions } from '../../service/demo-data/household-size.ts';
import { interfaceVersions } from '../../service/interface-version.ts';
import { startService } from '../../service/server.ts';

/** As they were typed. `--help` explains each (`command-line.ts`). */
export type ServiceCommandOptions = { [Name in keyof z.input<typeof options>]?: number | string | boolean };

/**
 * Runs the service on 127.0.0.1 until `io.signal` is aborted. When it listens, it writes one line of JSON to `io.stdout`:
 * `base_url` and `app_url`; a personal `access_token`; `email` and `password` for the pages below `app_url`; `client_id`
 * and `client_secret` of an OAuth application. All are strings. With several people, `people` lists the sign-ins of all.
 * Throws `invalid_configuration` if an option is out of range or the port cannot be used.
 */
export async function runService(
  options: ServiceCommandOptions,
  io: { stdout: NodeJS.WritableStream; signal: AbortSignal },
): Promise<void> {
  const { data, error } = range.safeParse(options);
  if (!data) throw invalidConfig(error.issues.map(({ message }) => message).join(' '));
  const { token, interface: version, people = 1, redirectUri, ...settings } = data;
  const { transactions, months, categories, payees } = settings;
  const service = await startService({
    clock: systemClock,
    ...settings,
    others: Array.from({ length: people - 1 }, () => ({ transactions, months, categories, payees })),
    ...(redirectUri !== undefined && { redirectUris: [redirectUri] }),
    ...(token !== undefined && { accessToken: token }),
    ...(version !== undefined && { version }),
  }).catch((error: unknown) => {
    const fault = portFaults[errnoOf(error)];
    throw fault ? invalidConfig(`Port ${settings.port} ${fault} on 127.0.0.1.`) : error;
  });

  const announcement = {
    base_url: service.baseUrl,
    app_url: service.appUrl,
    access_token: service.accessToken,
    email: service.signIn.email,
    password: service.signIn.password,
    client_id: service.client.clientId,
    client_secret: service.client.clientSecret,
    ...(people > 1 && { people: service.people.map(({ signIn }) => signIn) }),
  };
  io.stdout.write(`${JSON.stringify(announcement)}\n`);
  if (!io.signal.aborted) await once(io.signal, 'abort');
  await service.close();
}

const wholeNumber = (option: string, min: number, max = Number.MAX_SAFE_INTEGER) => {
  const range = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `from ${min} to ${max}`;
  const message = `${option} must be a whole number, ${range}.`;
  return z.int(message).min(min, message).max(max, message).exactOptional();
};

const options = z.object({
  port: wholeNumber('--port', 0, 65_535),
  transactions: wholeNumber('--transactions', 0),
  months: wholeNumber('--months', 1, 600),
  categories: wholeNumber('--categories', MIN_CATEGORIES, 3_000),
  payees: wholeNumber('--payees', MIN_PAYEES, 100_000),
  rateLimit: wholeNumber('--rate-limit', 1),
  people: wholeNumber('--people', 1, 1_000),
  redirectUri: z
    .url('--redirect-uri must be an address, such as https://budget.example.com/callback.')
    .exactOptional(),
  // The characters of a bearer token (RFC 6750, section 2.1).
  token: z
    .string()
    .regex(/^[\w\-.~+/]+=*$/, '--token must be letters, digits and -._~+/, with = only at its end.')
    .exactOptional(),
  accessTokenSeconds: wholeNumber('--access-token-seconds', 1),
  untidy: z.boolean().exactOptional(),
  interface: z
    .enum(interfaceVersions, `--interface must be one of ${interfaceVersions.join(', ')}.`)
    .exactOptional(),
});

/** Without `--months`, a small number of transactions makes the budget shorter. */
const range = options.superRefine(({ transactions, months }, context) => {
  if (transactions === undefined || months === undefined || transactions >= minTransactions(months)) return;
  const message = `--transactions must be ${minTransactions(months)} or more with --months ${months}, because so many months have about as many.`;
  context.issues.push({ code: 'custom', input: transactions, message });
});

const portFaults: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is already in use',
  EACCES: 'may not be used by this user',
};
