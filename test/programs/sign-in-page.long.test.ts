import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { eras, type Host, program, type Started } from '../hosts.helper.ts';
import { type RunningService, startTestService } from '../service/running-service.helper.ts';
import { SignInVisitor } from './sign-in-visitor.helper.ts';
import { SteeredClock } from './steered-clock.helper.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startTestService();
  return () => service.close();
});

const inFiles = { BUDGET_MCP_INSECURE_STORAGE: 'true' };

describe.each(eras)('a person without a terminal, with a host that speaks %s', (_, connect) => {
  /** A server without a sign-in, and the texts of the whole exchange. */
  async function start(options: Pick<Started, 'visitor' | 'env'> = {}) {
    const data = await temporaryDirectory();
    const log = join(data, 'log');
    const host: Host = await connect({
      ...options,
      command: ['/bin/sh', '-c', 'exec "$0" "$@" 2>"$LOG"', process.execPath, program],
      args: ['serve', '--log-level', 'debug'],
      env: {
        XDG_DATA_HOME: data,
        LOG: log,
        BUDGET_MCP_BASE_URL: service.baseUrl,
        ...inFiles,
        ...options.env,
      },
    });
    onTestFinished(() => host.close());
    return { host, signIns: join(data, 'budget-mcp', 'sign-ins'), log };
  }

  const withToken = (more: Record<string, string> = {}) => ({
    way: 'token',
    token: service.accessToken,
    ...more,
  });

  test('signs in on the page that the host opens, and the call goes on', async () => {
    const pages: string[] = [];
    const { host, signIns, log } = await start({
      async visitor(url) {
        const visitor = new SignInVisitor(url);
        const form = await visitor.open();
        expect((await visitor.send(withToken({ token: 'mistyped' }))).status).toBe(422);
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
    const logged = await readFile(log, 'utf8');
    expect(logged).toContain('request to the service');
    for (const shown of [text, logged, ...pages]) {
      expect(shown).not.toContain(service.accessToken);
      expect(shown).not.toContain('"mistyped"');
    }
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
      expect(text).toMatch(/main\.js login --base-url http:\S+ --insecure-storage` in a terminal/);
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
    const [, node = '', path = ''] =
      /`(\S+) (\S+main\.js) login --base-url \S+ --insecure-storage`/.exec(text) ?? [];
    expect(node).toBe(process.execPath);
    expect((await stat(path)).isFile()).toBe(true);
  });

  test('without a keychain agrees to a file first', async () => {
    const { host, signIns } = await start({
      env: { BUDGET_MCP_INSECURE_STORAGE: 'false' },
      async visitor(url) {
        const visitor = new SignInVisitor(url);
        expect((await visitor.open()).text).toContain('This computer has no keychain that can be used.');
        expect((await visitor.send(withToken())).text).toContain('Agree to the file');
        await expect(readdir(signIns)).rejects.toMatchObject({ code: 'ENOENT' });
        expect((await visitor.send(withToken({ in_file: 'on' }))).status).toBe(200);
        return 'accept' as const;
      },
    });
    expect((await host.call('list_accounts')).text).toContain('Checking');
    expect(await readdir(signIns)).toContain('default.json');
    expect((await host.call('list_payees')).isError).toBe(false);
  });

  test('has revoked the token: a write offers the page, goes on, and is made once', async () => {
    const tokens = [1, 2].map(() => service.access.issueToken(service.user, { label: 'Page' }));
    const [first = '', second = ''] = tokens;
    const left = [...tokens];
    const { host } = await start({
      async visitor(url) {
        const visitor = new SignInVisitor(url);
        await visitor.open();
        await visitor.send(withToken({ token: left.shift() ?? '' }));
        return 'accept' as const;
      },
    });
    await host.call('list_accounts');
    expect(left).toEqual([second]);
    service.access.revokeToken(first);
    const memo = `after the revocation, ${host.era}`;
    const row = { account_id: 'Checking', date: '2026-11-20', amount: -1, payee_name: 'Bakery', memo };
    const { isError, text } = await host.call('create_transactions', { transactions: [row] });
    expect(text).toContain('after the revocation');
    expect(isError).toBe(false);
    expect(left).toEqual([]);
    const [ledger = expect.unreachable()] = service.user.ledgers;
    expect(ledger.transactions(undefined).filter((each) => each.memo === memo)).toHaveLength(1);
  });

  test('has ten minutes, whatever the host answers', async () => {
    const clock = await SteeredClock.start(service.clock);
    let visitor = new SignInVisitor('http://127.0.0.1');
    const { host } = await start({
      env: clock.env,
      visitor(url) {
        visitor = new SignInVisitor(url);
        return 'decline' as const;
      },
    });
    await host.call('list_accounts');
    expect((await visitor.open()).status).toBe(200);
    await clock.pass(10 * 60_000 - 1);
    expect((await visitor.open()).status).toBe(200);
    await clock.pass(1);
    await expect(visitor.open()).rejects.toThrow('fetch failed');
  });
});
