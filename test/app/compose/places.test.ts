import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keychainLimits, windowsData } from '../../../src/app/compose/places.ts';
import { temporaryDirectory } from '../../auth/temporary-directory.helper.ts';
import { connectModern } from '../../hosts.helper.ts';
import { runProgram } from '../../run-program.helper.ts';
import { startTestService } from '../../service/running-service.helper.ts';

test('a sign-in that was stored in a file is found without the option, until the user signs out', async () => {
  const service = await startTestService();
  const env = { XDG_DATA_HOME: await temporaryDirectory() };
  const host = await connectModern({ args: ['serve'], env });
  try {
    expect((await host.call('list_accounts')).text).toContain('this session has no D-Bus');
    const login = ['login', '--insecure-storage', '--base-url', service.baseUrl];
    expect(await runProgram(login, { input: `${service.accessToken}\n`, env })).toMatchObject({
      exitCode: 0,
    });
    expect((await host.call('list_accounts')).text, 'in a server that is running').toContain('Checking');
    const { stdout } = await runProgram(['status'], { env });
    expect(stdout).toMatch(/^stored {3}in unencrypted files in /m);
    expect(stdout).toContain('"Household"');
    expect((await runProgram(['logout'], { env })).stdout).toContain('was removed from unencrypted files');
    expect((await runProgram(['status'], { env })).stderr).toContain('this session has no D-Bus');
  } finally {
    await host.close();
    await service.close();
  }
});

test('on Windows, what an earlier version kept in AppData is moved beside it once', async () => {
  const root = await temporaryDirectory();
  const [before, data] = [join(root, 'AppData', 'Local', 'budget-mcp'), join(root, '.budget-mcp')];
  expect(windowsData({ before, data })).toBe(data);
  expect(existsSync(data)).toBe(false);
  await mkdir(join(before, 'Data', 'sign-ins'), { recursive: true });
  await mkdir(join(before, 'State'), { recursive: true });
  await writeFile(join(before, 'Data', 'sign-ins', 'default.json'), 'sign-in');
  await writeFile(join(before, 'State', 'a.db'), 'state');
  windowsData({ before, data });
  await mkdir(join(before, 'State'));
  await writeFile(join(before, 'State', 'b.db'), 'of a program of the earlier version');
  windowsData({ before, data });
  expect(await readFile(join(data, 'sign-ins', 'default.json'), 'utf8')).toBe('sign-in');
  expect(await readdir(join(data, 'state'))).toEqual(['a.db']);
});

test('a call waits a minute for the keychain of macOS, which may ask the person, and five seconds elsewhere', () => {
  expect(keychainLimits('darwin').call).toBe(60_000);
  expect(keychainLimits('linux').call).toBe(5_000);
});
