import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { eras, type Host, type Started } from '../hosts.helper.ts';
import { type RunningService, startTestService } from '../service/running-service.helper.ts';
import { SignInVisitor } from './sign-in-visitor.helper.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startTestService();
  return () => service.close();
});

const inFiles = { BUDGET_MCP_INSECURE_STORAGE: 'true' };

describe.each(eras)('a person without a terminal, with a host that speaks %s', (_, connect) => {
  /** A server without a sign-in, and the texts of the whole exchange. */
  async function start(options: Pick<Started, 'visitor' | 'env' | 'args'> = {}) {
    const data = await temporaryDirectory();
    const host: Host = await connect({
      args: ['serve'],
      ...options,
      env: { XDG_DATA_HOME: data, BUDGET_MCP_BASE_URL: service.baseUrl, ...inFiles, ...options.env },
    });
    onTestFinished(() => host.close());
    return { host, signIns: join(data, 'budget-mcp', 'sign-ins') };
  }

  const withToken = (more: Record<string, string> = {}) => ({
    way: 'token',
    token: service.accessToken,
    ...more,
  });

  test('signs in on the page that the host opens, and the call goes on', async () => {
    const pages: string[] = [];
    const { host, signIns } = await start({
      async visitor(url) {
        const visitor = new SignInVisitor(url);
        const form = await visitor.open();
        expect(form.status).toBe(200);
        expect(form.text).toContain(service.baseUrl);
        const done = await visitor.send(withToken());
        expect(done.text).toContain('You are signed in');
        expect(done.text).toContain('Household');
        pages.push(url, form.text, done.text);
        return 'accept' as const;
      },
    });
    const { isError, text } = await host.call('list_accounts');
    expect(text).toContain('Checking');
    expect(isError).toBe(false);
    expect(pages[0]).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/sign-in\/[\w-]{43}$/);
    for (const shown of [text, ...pages]) expect(shown).not.toContain(service.accessToken);
    expect((await stat(join(signIns, 'default.json'))).mode & 0o777).toBe(0o600);
    expect((await host.call('list_payees')).isError).toBe(false);
  });

  test('takes longer to sign in: the answer says to call again, and the next call works', async () => {
    let visitor = new SignInVisitor('http://127.0.0.1');
    const { host } = await start({
      visitor(url) {
        visitor = new SignInVisitor(url);
        return 'accept' as const;
      },
    });
    const { isError, text } = await host.call('list_accounts');
    expect(isError).toBe(true);
    expect(text).toMatch(/^Not signed in: .*When the user has signed in there, call again\.$/s);
    await visitor.open();
    await visitor.send(withToken());
    expect((await host.call('list_accounts')).text).toContain('Checking');
  });

  test.each(['decline', 'cancel'] as const)(
    'answers %s, and the call says so at once with the command that works',
    async (action) => {
      const { host } = await start({ visitor: () => action });
      const { isError, text } = await host.call('list_accounts');
      expect(isError).toBe(true);
      expect(text).toContain(`The host answered "${action}" to the offer of a page for signing in.`);
      expect(text).toMatch(/main\.js login --base-url http:\S+` in a terminal\./);
    },
  );

  test('cancels on the page, and the call does not wait any longer', async () => {
    const { host, signIns } = await start({
      async visitor(url) {
        const visitor = new SignInVisitor(url);
        await visitor.open();
        expect((await visitor.send({ way: 'cancel' })).text).toContain('nothing was stored');
        return 'accept' as const;
      },
    });
    expect((await host.call('list_accounts')).isError).toBe(true);
    await expect(readdir(signIns)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('has a host that opens no pages: the answer has the command that works, and no address', async () => {
    const { host } = await start();
    const { isError, text } = await host.call('list_accounts');
    expect(isError).toBe(true);
    expect(text).not.toContain('/sign-in/');
    const [, node = '', program = ''] = /run `(\S+) (\S+main\.js) login --base-url \S+`/.exec(text) ?? [];
    expect(node).toBe(process.execPath);
    expect((await stat(program)).isFile()).toBe(true);
  });
});
