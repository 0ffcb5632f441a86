import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../src/errors.ts';
import { failureOf } from '../client/sending.ts';
import { ManualClock } from '../manual-clock.ts';
import { childPath, openKeychain } from './keychain.ts';
import { noSecretService, type SecretService, startSecretService } from './secret-service.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { describeSharedTokenStore, granted } from './token-store-contract.ts';

describe.skipIf(noSecretService)('with a real Secret Service', () => {
  describeSharedTokenStore('the keychain', async () => {
    const { env } = await startSecretService();
    return { store: openKeychain(env), opened: ['keychain', JSON.stringify(env)] };
  });

  test('a sign-in is found from outside by service and username, and no more once it is removed', async () => {
    const service = await startSecretService();
    const store = openKeychain(service.env);
    await store.write('work', granted);
    expect(JSON.parse(await service.lookup('work'))).toEqual(granted);
    await store.remove('work');
    expect(await service.lookup('work')).toBe('');
  });

  test.each<[string, string | Buffer]>([
    ['no JSON', 'somebody else put this here'],
    ['no sign-in', '{"kind":"personal"}'],
    ['no text', Buffer.from([0x78, 0xff, 0xfe])],
  ])('what is %s is neither taken for one nor replaced, but can be removed', async (_, planted) => {
    const service = await startSecretService();
    const store = openKeychain(service.env);
    await service.plant('default', planted);
    const before = await service.lookup('default');
    expect((await failureOf(store.read('default'))).code).toBe('sign_in_unreadable');
    expect((await failureOf(store.write('default', granted))).code).toBe('sign_in_unreadable');
    expect(await service.lookup('default')).toBe(before);
    expect(await store.remove('default')).toBe(true);
    expect(await service.lookup('default')).toBe('');
  });

  test('where there is no keyring yet, nobody is signed in, and keeping a sign-in says what is missing', async () => {
    const { env } = await startSecretService({ keyring: 'empty' });
    const store = openKeychain(env);
    expect(await store.read('default')).toBeUndefined();
    const failure = await failureOf(store.write('default', granted));
    expect(failure.code).toBe('keychain_unavailable');
    expect(failure.message).toMatch(/no keyring yet/);
  });

  describe.each<[string, () => Promise<Readonly<Record<string, string>>>, ErrorCode, RegExp]>([
    ['is locked and nobody is there to unlock it', locked, 'keychain_locked', /locked/],
    ['is locked and nobody answers the prompt', prompting, 'keychain_timed_out', /waiting.*to unlock/],
    ['is frozen', frozen, 'keychain_timed_out', /does not answer.*stuck/],
    ['is not there', absent, 'keychain_unavailable', /No Secret Service/],
    ['has no D-Bus', async () => ({}), 'keychain_unavailable', /no D-Bus session/],
    ['has a D-Bus that is gone', goneBus, 'keychain_unavailable', /no D-Bus session/],
  ])('a keychain that %s', (_, start, code, message) => {
    test('says so to whoever reads, writes or removes, with the ways out', { timeout: 60_000 }, async () => {
      const store = openKeychain(await start());
      const asked = [store.read('default'), store.write('default', granted), store.remove('default')];
      for (const failure of await Promise.all(asked.map(failureOf))) {
        expect(failure.code).toBe(code);
        expect(failure.message).toMatch(message);
        expect(failure.advice).toMatch(/--token-file.*BUDGET_MCP_TOKEN.*--insecure-storage/);
      }
    });
  });

  test('a child whose program is gone does not outlive it, though the keychain never answers', async () => {
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

describe('without its native module', () => {
  test.each([
    ['the library', []],
    ['the part of it for this computer', ['keyring']],
  ])('the keychain says so: %s is missing', async (_, there) => {
    const directory = await temporaryDirectory();
    await cp(dirname(dirname(childPath)), join(directory, 'dist'), { recursive: true });
    const libraries = join('node_modules', '@napi-rs');
    for (const name of there)
      await cp(new URL(`../../${libraries}/${name}`, import.meta.url), join(directory, libraries, name), {
        recursive: true,
      });
    const store = openKeychain({}, { childPath: join(directory, 'dist', 'auth', 'keychain-child.js') });
    const failure = await failureOf(store.read('default'));
    expect(failure.code).toBe('keychain_unavailable');
    expect(failure.message).toMatch(/module.*not installed/);
  });

  test('a child that is not there at all is told apart from not being signed in', async () => {
    const store = openKeychain({}, { childPath: '/nowhere/keychain-child.js' });
    const failure = await failureOf(store.read('default'));
    expect(failure.code).toBe('keychain_unavailable');
    expect(failure.message).toMatch(/ended without an answer/);
  });
});

describe('the child process', () => {
  test('is given the session and nothing else, and the secret by its input only', async () => {
    const directory = await temporaryDirectory();
    const path = join(directory, 'child.mjs');
    const seen = join(directory, 'seen.json');
    await writeFile(
      path,
      `import { writeFileSync } from 'node:fs';
       process.stdin.once('data', () => {
         writeFileSync(${JSON.stringify(seen)}, JSON.stringify({ args: process.argv.slice(2), env: process.env }));
         process.stdout.write('{"result":null}\\n', () => process.exit());
       });`,
    );
    const session = {
      HOME: '/home/somebody',
      XDG_RUNTIME_DIR: '/run/user/1',
      DBUS_SESSION_BUS_ADDRESS: 'unix:',
    };
    const env = { ...session, BUDGET_MCP_TOKEN: 'secret', NODE_OPTIONS: '--no-warnings', PATH: '/bin' };
    await openKeychain(env, { childPath: path }).write('default', granted);
    expect(JSON.parse(await readFile(seen, 'utf8'))).toEqual({ args: [], env: session });
  });

  test('is ended when its time is up, by the clock', async () => {
    const path = join(await temporaryDirectory(), 'child.mjs');
    await writeFile(path, 'setInterval(() => {}, 1000);');
    const clock = new ManualClock(0);
    const asked = failureOf(openKeychain({}, { childPath: path, clock, timeoutMs: 120_000 }).read('default'));
    clock.advance(119_999);
    clock.advance(1);
    expect((await asked).code).toBe('keychain_timed_out');
  });
});

test('whoever has given up already asks nobody', async () => {
  const directory = await temporaryDirectory();
  const path = join(directory, 'child.mjs');
  const asked = join(directory, 'asked');
  await writeFile(
    path,
    `import { writeFileSync } from 'node:fs';
     writeFileSync(${JSON.stringify(asked)}, '');
     process.stdout.write('{"result":null}\\n');`,
  );
  const store = openKeychain({}, { childPath: path, signal: AbortSignal.abort() });
  expect((await failureOf(store.read('default'))).code).toBe('cancelled');
  expect(existsSync(asked)).toBe(false);
});

describe('on Windows', () => {
  test('what is too long for an entry is refused before anything is asked', async () => {
    const store = openKeychain({}, { platform: 'win32', childPath: '/nowhere/keychain-child.js' });
    const failure = await failureOf(store.write('default', { ...granted, accessToken: 'x'.repeat(1_000) }));
    expect(failure.code).toBe('sign_in_too_large');
    expect(failure.message).toMatch(/1\d\d\d characters.*holds 1280/);
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

const goneBus = async () => ({ DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere/bus' });

function withResolvers() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
