import { expect, test } from 'vitest';
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
