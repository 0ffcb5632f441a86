import { describe, test } from 'vitest';
import { openKeychain } from './keychain.helper.ts';
import { expectNoSecret, marked, unreadableSignIns } from './marked-secrets.helper.ts';
import { noSecretService, startSecretService } from './secret-service.helper.ts';

describe.skipIf(noSecretService)('no error contains a secret', () => {
  test.each(unreadableSignIns)(
    'no error about an unreadable keychain entry contains a secret',
    async (content) => {
      const service = await startSecretService();
      await service.plant('default', content);
      const store = openKeychain(service.env);
      await expectNoSecret(store.read('default'));
      await expectNoSecret(store.write('default', marked));
    },
  );

  test.each(['absent', 'empty'] as const)(
    'no error about a keychain that is %s contains a secret',
    async (keyring) => {
      const { env } = await startSecretService({ keyring });
      await expectNoSecret(openKeychain(env).write('default', marked));
    },
  );

  test('no error about a locked or frozen keychain contains a secret', async () => {
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
