import { describe, test } from 'vitest';
import { openKeychain } from './keychain.ts';
import { expectNoSecret, marked, spoilt } from './marked-secrets.ts';
import { noSecretService, startSecretService } from './secret-service.ts';

describe.skipIf(noSecretService)('no error tells a secret', () => {
  test.each(spoilt)('of a keychain that holds what cannot be read', async (planted) => {
    const service = await startSecretService();
    await service.plant('default', planted);
    const store = openKeychain(service.env);
    await expectNoSecret(store.read('default'));
    await expectNoSecret(store.write('default', marked));
  });

  test.each(['absent', 'empty'] as const)('of a keychain that is %s', async (keyring) => {
    const { env } = await startSecretService({ keyring });
    await expectNoSecret(openKeychain(env).write('default', marked));
  });

  test('of a keychain that is locked or frozen', async () => {
    const service = await startSecretService();
    const store = openKeychain(service.env);
    await store.write('default', marked);
    await service.lock();
    await expectNoSecret(store.read('default'));
    await expectNoSecret(store.write('default', marked));
    await service.freeze();
    await expectNoSecret(store.write('default', marked));
  });
});
