import { existsSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { keychainLimits } from '../../src/app/compose/places.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { isPosix } from '../posix.helper.ts';
import { failureOf } from '../session/sending.helper.ts';
import { childPath, openKeychain } from './keychain.helper.ts';
import { temporaryDirectory } from './temporary-directory.helper.ts';
import { granted } from './token-store-contract.helper.ts';

describe('the keychain without its native module', () => {
  test.each([
    ['the library', []],
    ['the part of the library for this platform', ['keyring']],
  ])('the error says that the keychain module is not installed if %s is missing', async (_, there) => {
    const directory = await temporaryDirectory();
    await cp(dirname(dirname(childPath)), join(directory, 'dist'), { recursive: true });
    // As in the package: Node 20.18 does not find out by itself that a file is an ES module.
    await writeFile(join(directory, 'package.json'), '{"type":"module"}');
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

  test('an error about a missing child process is not the same as not being signed in', async () => {
    const store = openKeychain({}, { childPath: '/nowhere/keychain-child.js' });
    const failure = await failureOf(store.read('default'));
    expect(failure.code).toBe('keychain_unavailable');
    expect(failure.message).toMatch(/ended without an answer/);
  });
});

describe('the child process', () => {
  // Windows gives every process variables of its own.
  test.runIf(isPosix)(
    'the keychain child gets only the session variables, and the secret only by its input',
    async () => {
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
        HOME: '/home/user',
        XDG_RUNTIME_DIR: '/run/user/1',
        DBUS_SESSION_BUS_ADDRESS: 'unix:',
      };
      const env = { ...session, BUDGET_MCP_TOKEN: 'secret', NODE_OPTIONS: '--no-warnings', PATH: '/bin' };
      await openKeychain(env, { childPath: path }).write('default', granted);
      expect(JSON.parse(await readFile(seen, 'utf8'))).toEqual({ args: [], env: session });
    },
  );

  test('a keychain of macOS that waits for its person for 30 s is waited for', async () => {
    const directory = await temporaryDirectory();
    const [path, agreed] = [join(directory, 'child.mjs'), join(directory, 'agreed')];
    await writeFile(
      path,
      `import { existsSync } from 'node:fs';
       setInterval(() => {
         if (existsSync(${JSON.stringify(agreed)})) process.stdout.write('{"result":null}\\n', () => process.exit());
       }, 10);`,
    );
    const clock = new ManualClock(0);
    const timeoutMs = keychainLimits('darwin').call;
    const reading = openKeychain({}, { childPath: path, clock, timeoutMs }).read('default');
    clock.advance(30_000);
    await writeFile(agreed, '');
    expect(await reading).toBeUndefined();
  });

  test('where the keychain of macOS does not answer, the error says what macOS asks', async () => {
    const path = join(await temporaryDirectory(), 'child.mjs');
    await writeFile(path, 'setInterval(() => {}, 1000);');
    const clock = new ManualClock(0);
    const options = { childPath: path, clock, timeoutMs: 60_000, platform: 'darwin' } as const;
    const reading = failureOf(openKeychain({}, options).read('default'));
    clock.advance(60_000);
    expect((await reading).message).toContain('choose "Always Allow"');
  });

  test('the keychain child is killed after the time limit of the clock', async () => {
    const path = join(await temporaryDirectory(), 'child.mjs');
    await writeFile(path, 'setInterval(() => {}, 1000);');
    const clock = new ManualClock(0);
    const reading = failureOf(
      openKeychain({}, { childPath: path, clock, timeoutMs: 120_000 }).read('default'),
    );
    clock.advance(119_999);
    clock.advance(1);
    expect((await reading).code).toBe('keychain_timed_out');
  });
});

test('a cancelled call does not start a keychain child', async () => {
  const directory = await temporaryDirectory();
  const path = join(directory, 'child.mjs');
  const marker = join(directory, 'asked');
  await writeFile(
    path,
    `import { writeFileSync } from 'node:fs';
     writeFileSync(${JSON.stringify(marker)}, '');
     process.stdout.write('{"result":null}\\n');`,
  );
  const store = openKeychain({}, { childPath: path, signal: AbortSignal.abort() });
  expect((await failureOf(store.read('default'))).code).toBe('cancelled');
  expect(existsSync(marker)).toBe(false);
});

describe('on Windows', () => {
  test('a sign-in that is too large for a Windows keychain entry is refused before the keychain is asked', async () => {
    const store = openKeychain({}, { platform: 'win32', childPath: '/nowhere/keychain-child.js' });
    const failure = await failureOf(store.write('default', { ...granted, accessToken: 'x'.repeat(1_000) }));
    expect(failure.code).toBe('sign_in_too_large');
    expect(failure.message).toMatch(/1\d\d\d characters.*holds 1280/);
  });

  test('a module that Windows cannot load needs a library of Microsoft, and the error says where that is', async () => {
    const path = join(await temporaryDirectory(), 'child.mjs');
    const message = String.raw`Cannot find native binding. … \\?\C:\m\@napi-rs\keyring-win32-x64-msvc\keyring.win32-x64-msvc.node`;
    const answer = JSON.stringify({ failure: 'missing', message });
    await writeFile(path, `process.stdout.write(${JSON.stringify(answer)});`);
    const failure = await failureOf(openKeychain({}, { childPath: path }).read('default'));
    expect(failure.message).toContain('the Visual C++ Redistributable of Microsoft is missing');
  });
});
