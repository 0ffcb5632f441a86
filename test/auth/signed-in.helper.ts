/** Sign-ins to the embedded service as the commands store them, and a provider of their tokens. */
import { onTestFinished } from 'vitest';
import { OAuth } from '../../src/auth/oauth.ts';
import {
  type RefreshableSignIn,
  StoredTokens,
  type StoredTokensOptions,
} from '../../src/auth/stored-tokens.ts';
import type { SignIn } from '../../src/auth/token-store.ts';
import type { Clock } from '../../src/base/clock.ts';
import type { Service } from '../../src/service/server.ts';
import { HttpSender } from '../../src/session/http/http-sender.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { startTestService } from '../service/running-service.helper.ts';
import { MemoryTokenStore } from './memory-token-store.helper.ts';

export const PROFILE = 'work';

/** A sign-in that was just granted by the authorization code grant. */
export function codeSignIn(
  service: Service,
  clock: Clock,
  scope: 'full' | 'read-only' = 'full',
): RefreshableSignIn {
  const { clientId, clientSecret } = service.client;
  const application = service.oauth.applications.find(clientId);
  if (!application) throw new Error('The service has an application.');
  const consent = { application, user: service.user, ...(scope === 'read-only' && { scope }) };
  const { tokens } = service.oauth.authorizations.grantPair(consent);
  return {
    kind: 'authorization_code',
    id: 'sign-in-1',
    baseUrl: service.baseUrl,
    appUrl: service.appUrl,
    clientId,
    clientSecret,
    scope,
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token,
    grantedAt: clock.now(),
    expiresAt: clock.now() + tokens.expires_in * 1_000,
  };
}

/** The callback after the user has agreed to the request `url`. */
export function agree(service: Service, url: string): URLSearchParams {
  const params = new URL(url).searchParams;
  const application = service.oauth.applications.find(params.get('client_id') ?? '');
  if (!application) throw new Error('The service does not know the application.');
  const code = service.oauth.codes.issue({
    consent: { application, user: service.user },
    redirectUri: params.get('redirect_uri') ?? '',
    codeChallenge: params.get('code_challenge') ?? undefined,
  });
  return new URLSearchParams({ code, state: params.get('state') ?? '' });
}

/** A service, a store, and a provider that refreshes by HTTP. */
export async function startSignedIn(
  signInTo: (service: Service, clock: Clock) => SignIn | undefined = codeSignIn,
) {
  const service = await startTestService();
  onTestFinished(() => service.close());
  const { clock } = service;
  const sender = new HttpSender({ clock: new ManualClock(clock.now()) });
  onTestFinished(() => sender.close());
  const oauth = new OAuth({ send: (request, signal) => sender.send(request, signal), clock });
  const store = new MemoryTokenStore();
  const signIn = signInTo(service, clock);
  if (signIn) await store.write(PROFILE, signIn);
  let refreshes = 0;
  const provide = (options: Partial<StoredTokensOptions> = {}) =>
    new StoredTokens({
      store,
      profile: PROFILE,
      loginCommand: `budget-mcp login --profile ${PROFILE}`,
      clock,
      refresh: (signIn) => {
        refreshes += 1;
        return oauth.refresh(signIn);
      },
      lock: (_, work) => work(),
      ...options,
    });
  /** Uses a token as a call does. Returns whether the service accepts it. */
  const accepts = async ({ token }: { token: string }) => {
    const headers = { Authorization: `Bearer ${token}` };
    return (await fetch(`${service.baseUrl}/user`, { headers })).ok;
  };
  return {
    service,
    clock,
    oauth,
    store,
    provide,
    accepts,
    stored: () => store.read(PROFILE),
    refreshes: () => refreshes,
  };
}
