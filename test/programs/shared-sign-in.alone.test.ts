import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { startService } from '../../src/service/server.ts';
import { openKeychain } from '../auth/keychain.helper.ts';
import { noSecretService, startSecretService } from '../auth/secret-service.helper.ts';
import { codeSignIn } from '../auth/signed-in.helper.ts';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { connectModern } from '../hosts.helper.ts';

const PROCESSES = 8;
/** The minimum for each process. */
const CALLS = 30;
/** The number of access tokens, one after another. */
const TOKENS = 5;
/** The life of an access token in seconds. */
const LIFE = 6;
/** Milliseconds between two calls of one process. */
const PACE = 200;

test.skipIf(noSecretService)(
  `${PROCESSES} processes share a sign-in in the keychain for ${TOKENS} access tokens, which live for ${LIFE} seconds: every call succeeds, and no refresh token is used twice`,
  async () => {
    const service = await startService({
      clock: systemClock,
      transactions: 0,
      rateLimit: 10_000,
      accessTokenSeconds: LIFE,
    });
    onTestFinished(() => service.close());
    const home = await temporaryDirectory();
    const { env } = await startSecretService();
    const store = openKeychain(env);
    const signIn = codeSignIn(service, systemClock);
    await store.write('default', signIn);

    const hosts = await Promise.all(
      Array.from({ length: PROCESSES }, async () => {
        // No call is answered from the cache.
        const args = ['serve', '--cache-mb', '0'];
        const host = await connectModern({ args, env: { ...env, HOME: home, XDG_DATA_HOME: home } });
        onTestFinished(() => host.close());
        return host;
      }),
    );
    const tokens = new Set<string | undefined>();
    const seeTokens = async () => {
      while (tokens.size < TOKENS) {
        tokens.add((await store.read('default'))?.accessToken);
        // Less often than a process calls, because reading the keychain starts a process too.
        await pause(LIFE * 500);
      }
    };
    const failures: string[] = [];
    const callAll = hosts.map(async (host) => {
      for (let calls = 0; calls < CALLS || tokens.size < TOKENS; calls += 1) {
        const { isError, text } = await host.call('list_payees');
        if (isError) failures.push(text);
        await pause(PACE);
      }
    });
    await Promise.all([seeTokens(), ...callAll]);

    expect(failures).toEqual([]);
    expect(service.oauth.authorizations.refreshReuses).toEqual({ accepted: 0, refused: 0 });
    const last = await store.read('default');
    expect(last).toMatchObject({ id: signIn.id });
    expect(last?.accessToken).not.toBe(signIn.accessToken);
  },
  300_000,
);
