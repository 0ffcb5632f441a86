import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../src/base/errors.ts';
import { failureOf } from '../session/sending.helper.ts';
import { childPath, openKeychain, openKeychainSecrets } from './keychain.helper.ts';
import { noSecretService, type SecretService, startSecretService } from './secret-service.helper.ts';
import { describeSecretStore } from './secret-store-contract.helper.ts';
import { describeSharedTokenStore, granted } from './token-store-contract.helper.ts';

describe.skipIf(noSecretService)('with a real Secret Service', () => {
  describeSharedTokenStore('the keychain', async () => {
    const { env } = await startSecretService();
    return { store: openKeychain(env), opened: ['keychain', JSON.stringify(env)] };
  });

  describeSecretStore('the keychain', async () => {
    const { env } = await startSecretService();
    return { store: openKeychainSecrets(env), other: openKeychainSecrets(env, { suffix: ' state' }) };
  });

  test('another program finds a sign-in by service and username until it is removed', async () => {
    const service = await startSecretService();
    const store = openKeychain(service.env);
    await store.write('work', granted);
    expect(JSON.parse(await service.lookup('work'))).toEqual(granted);
    await store.remove('work');
    expect(await service.lookup('work')).toBe('');
  });

  test.each<[string, string | Buffer]>([
    ['not JSON', 'another program put this here'],
    ['not a sign-in', '{"kind":"personal"}'],
    ['not text', Buffer.from([0x78, 0xff, 0xfe])],
  ])(
    'an entry that is %s is neither read as a sign-in nor replaced, but can be removed',
    async (_, content) => {
      const service = await startSecretService();
      const store = openKeychain(service.env);
      await service.plant('default', content);
      const before = await service.lookup('default');
      expect((await failureOf(store.read('default'))).code).toBe('sign_in_unreadable');
      expect((await failureOf(store.write('default', granted))).code).toBe('sign_in_unreadable');
      expect(await service.lookup('default')).toBe(before);
      expect(await store.remove('default')).toBe(true);
      expect(await service.lookup('default')).toBe('');
    },
  );

  test('without a keyring there is no sign-in, and the error of storing one says what is missing', async () => {
    const { env } = await startSecretService({ keyring: 'empty' });
    const store = openKeychain(env);
    expect(await store.read('default')).toBeUndefined();
    const failure = await failureOf(store.write('default', granted));
    expect(failure.code).toBe('keychain_unavailable');
    expect(failure.message).toMatch(/no keyring yet/);
  });

  describe.each<[string, () => Promise<Readonly<Record<string, string>>>, ErrorCode, RegExp]>([
    ['is locked and has no prompt', locked, 'keychain_locked', /locked/],
    ['is locked and the prompt is not answered', prompting, 'keychain_timed_out', /waiting.*to unlock/],
    ['is frozen', frozen, 'keychain_timed_out', /does not answer.*hang/],
    ['is not there', absent, 'keychain_unavailable', /no Secret Service/],
    ['has no D-Bus', async () => ({}), 'keychain_unavailable', /no D-Bus/],
    ['has a D-Bus that has ended', endedBus, 'keychain_unavailable', /no D-Bus/],
  ])('a keychain that %s', (_, start, code, message) => {
    test('reading, writing and removing a sign-in give an error with the remedy', async () => {
      const isToTimeOut = code === 'keychain_timed_out';
      const store = openKeychain(await start(), isToTimeOut ? { timeoutMs: 5_000 } : {});
      const attempts = [
        () => store.read('default'),
        () => store.write('default', granted),
        () => store.remove('default'),
      ];
      // One after the other: asked several things at once, a locked gnome-keyring sometimes answers only some of them.
      for (const attempt of attempts) {
        const failure = await failureOf(attempt());
        expect(failure.code).toBe(code);
        expect(failure.message).toMatch(message);
        expect(failure.explanation).toMatch(/--insecure-storage/);
        expect(failure.explanation).toMatch(/BUDGET_MCP_TOKEN/);
      }
    });
  });

  test('a child process ends with its parent, even if the keychain never answers', async () => {
    const { promise: prompted, resolve: onPrompt } = withResolvers();
    const env = await prompting(onPrompt);
    const child = spawn(process.execPath, [childPath], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.write('{"operation":"get","service":"budget-mcp","account":"default"}\n');
    await prompted;
    const ended = once(child, 'close');
    const answer = text(child.stdout);
    child.stdin.end();
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect(await answer, 'it has not waited for one').toBe('');
  });
});

async function withSignIn(service: SecretService) {
  await openKeychain(service.env).write('default', granted);
  return service;
}

async function locked() {
  const service = await startSecretService().then(withSignIn);
  await service.lock();
  return service.env;
}

async function prompting(onPrompt = () => {}) {
  const service = await startSecretService({ onPrompt }).then(withSignIn);
  await service.lock();
  return service.env;
}

async function frozen() {
  const service = await startSecretService().then(withSignIn);
  await service.freeze();
  return service.env;
}

async function absent() {
  return (await startSecretService({ keyring: 'absent' })).env;
}

const endedBus = async () => ({ DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere/bus' });

function withResolvers() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
