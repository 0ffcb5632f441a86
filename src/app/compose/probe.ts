/** The checks of `budget-mcp doctor`: the places of `places.ts`, and the service by at most one request. */
import { randomBytes, randomUUID } from 'node:crypto';
import { findProvidedToken, type ProvidedToken } from '../../auth/provided-token.ts';
import type { Warn } from '../../auth/secret-file.ts';
import { SignInStore } from '../../auth/sign-in-store.ts';
import type { TokenStore } from '../../auth/token-store.ts';
import type { Clock } from '../../base/clock.ts';
import { type HttpResponse, HttpSender } from '../../session/http/http-sender.ts';
import { removeState, SharedStores } from '../../store/shared-stores.ts';
import type { Config } from '../config/load-config.ts';
import { loginCommand } from './login-command.ts';
import { createSecretStores, type Environment, KEYCHAIN_MS, sharingOf } from './places.ts';

/** A person waits for the result. A service that needs longer is reported as one that does not answer. */
const TIMEOUT_MS = 10_000;

export interface StateReport {
  readonly isShared: boolean;
  /** The directory, or why the state is not shared, in a sentence. */
  readonly text: string;
}

export interface Probe {
  readonly clock: Clock;
  readonly store: Pick<TokenStore, 'place' | 'read'>;
  /** The command with which the person signs in. */
  readonly loginCommand: string;
  readonly providedToken: () => Promise<ProvidedToken | undefined>;
  readonly state: () => Promise<StateReport>;
  /** Reads the user with this token. Throws a `BudgetError` if there is no response. */
  readonly askService: (baseUrl: string, token: string) => Promise<HttpResponse>;
  readonly close: () => Promise<void>;
}

export function composeProbe(
  config: Config,
  environment: Environment,
  { signal, warn }: { signal: AbortSignal; warn: Warn },
): Probe {
  const { clock } = environment;
  const { proxy, checksCertificates } = config;
  const sender = new HttpSender({ clock, proxy, checksCertificates, timeoutMs: TIMEOUT_MS });
  const secretsOf = createSecretStores(config, environment, { timeoutMs: KEYCHAIN_MS.terminal, signal });
  return {
    clock,
    store: new SignInStore(secretsOf('sign-in')),
    loginCommand: loginCommand(config, environment.program),
    providedToken: () => findProvidedToken(config, warn),
    state: () => stateReport(config, clock),
    askService: (baseUrl, token) =>
      sender.send(
        {
          method: 'GET',
          url: `${baseUrl}/user`,
          headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
        },
        signal,
      ),
    close: () => sender.close(),
  };
}

/** Opens a state of its own and removes it, because a full disk shows only then. */
async function stateReport(config: Config, clock: Clock): Promise<StateReport> {
  const sharing = sharingOf(config);
  const owner = { signIn: randomUUID(), baseUrl: '' };
  const stores = new SharedStores({ sharing, clock, warn: () => {} });
  await stores.open(owner, async () => randomBytes(32));
  const { shared, reason = '' } = stores.status;
  await stores.close();
  // The directory may be unusable, which is reported already.
  await removeState(sharing, owner).catch(() => {});
  return { isShared: shared, text: shared && 'directory' in sharing ? sharing.directory : reason };
}
