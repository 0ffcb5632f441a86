import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { noSecretService, startSecretService } from '../auth/secret-service.helper.ts';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { connectModern } from '../hosts.helper.ts';
import { startTestService } from '../service/running-service.helper.ts';
import { SignInVisitor } from './sign-in-visitor.helper.ts';

test.skipIf(noSecretService)(
  'with a keychain the page asks for no file, and the token is in the keychain only',
  async () => {
    const service = await startTestService();
    const keychain = await startSecretService();
    const data = await temporaryDirectory();
    const shown: string[] = [];
    const host = await connectModern({
      args: ['serve'],
      env: { ...keychain.env, XDG_DATA_HOME: data, BUDGET_MCP_BASE_URL: service.baseUrl },
      async visitor(url) {
        const visitor = new SignInVisitor(url);
        shown.push((await visitor.open()).text);
        shown.push((await visitor.send({ way: 'token', token: service.accessToken })).text);
        return 'accept' as const;
      },
    });
    onTestFinished(async () => {
      await host.close();
      await service.close();
    });
    expect((await host.call('list_accounts')).text).toContain('Checking');
    expect(shown[0]).not.toContain('name="in_file"');
    expect(shown[1]).toContain('the keychain of this computer');
    expect(await keychain.lookup('default')).toContain(service.accessToken);
    for (const entry of await readdir(data, { recursive: true, withFileTypes: true }))
      if (entry.isFile())
        expect(await readFile(join(entry.parentPath, entry.name), 'latin1')).not.toContain(
          service.accessToken,
        );
  },
);
