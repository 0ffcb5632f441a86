/** What a hosted server stores: over a restart, with other keys, and after a person was removed. The same for each engine. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { Person } from '../../src/service/server.ts';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { connectModern } from '../hosts.helper.ts';
import { runProgram } from '../run-program.helper.ts';
import { HostedProgram, type SignedIn } from './hosted-program.helper.ts';

const newKey = () => randomBytes(32).toString('base64');

/** Where a server stores everything. */
export interface Engine {
  readonly env: Readonly<Record<string, string>>;
  /** What is stored: a name for each grant, and for what all have in common. */
  readonly names: () => Promise<string[]>;
  /** All of it as one text. */
  readonly content: () => string;
}

async function startServer({ env, names, content }: Engine) {
  const directory = await temporaryDirectory();
  const keyFile = join(directory, 'server.key');
  const writeKeys = (...keys: readonly string[]) => writeFileSync(keyFile, keys.join('\n'), { mode: 0o600 });
  const key = newKey();
  writeKeys(key);
  const hosted = await HostedProgram.start({
    args: ['--server-key-file', keyFile, '--confirm', 'none'],
    env: { BUDGET_MCP_NO_STATE: 'false', ...env },
  });
  onTestFinished(() => hosted.close());
  const forget = (userId: string) =>
    runProgram(['forget', userId, '--server-key-file', keyFile], {
      env: { BUDGET_MCP_BASE_URL: hosted.service.baseUrl, ...env },
    });
  return { hosted, key, writeKeys, forget, names, content };
}

async function ask({ http }: SignedIn, tool = 'list_accounts', args: Record<string, unknown> = {}) {
  const host = await connectModern({ http });
  const { text, structured, isError } = await host.call(tool, args);
  await host.close();
  expect(isError, text).toBe(false);
  return { text, structured };
}

const lunch = (payee_name: string) => ({
  transactions: [{ account_id: 'Checking', date: 'today', amount: -12.5, payee_name }],
});

const status = z.object({
  cache: z.object({ loads: z.number(), syncs: z.number() }),
  requests: z.object({ used: z.number() }),
});

export function testsOfHostedState(startEngine: () => Promise<Engine>): void {
  const start = async () => startServer(await startEngine());
  test('after a restart tokens are valid, the first answer needs one delta, and writes are listed', async () => {
    const { hosted } = await start();
    const signedIn = await hosted.signIn(hosted.person(0));
    await ask(signedIn, 'create_transactions', lunch('Noodle Lantern'));
    const before = await ask(signedIn);
    const { requests } = status.parse((await ask(signedIn, 'get_status')).structured);
    await hosted.restart();
    expect((await ask(signedIn)).structured['accounts']).toEqual(before.structured['accounts']);
    const now = status.parse((await ask(signedIn, 'get_status')).structured);
    expect(now.cache.loads).toBe(0);
    expect(now.cache.syncs).toBeLessThanOrEqual(1);
    expect(now.requests.used - requests.used).toBeLessThanOrEqual(1);
    expect((await ask(signedIn, 'list_writes')).text).toContain('Noodle Lantern');
    const renewed = await hosted.refresh(signedIn);
    await ask(renewed);
    const { view, grants } = await hosted.account(hosted.person(0));
    expect(grants).toHaveLength(1);
    expect(view.text).toContain('Create transactions');
  });

  test('with a new server key beside the earlier one, and then alone, tokens stay valid', async () => {
    const { hosted, key, writeKeys } = await start();
    const signedIn = await hosted.signIn(hosted.person(0));
    const next = newKey();
    writeKeys(next, key);
    await hosted.restart();
    await ask(signedIn);
    writeKeys(next);
    await hosted.restart();
    await ask(signedIn);
  });

  test('with another server key it does not start, and says why', async () => {
    const { hosted, key, writeKeys } = await start();
    const signedIn = await hosted.signIn(hosted.person(0));
    writeKeys(newKey());
    await expect(hosted.restart()).rejects.toThrow('was sealed with another server key');
    writeKeys('not a key');
    await expect(hosted.restart()).rejects.toThrow('contains a line that is not a key');
    writeKeys(key);
    await hosted.restart();
    await ask(signedIn);
  });

  test('nothing stored contains a token, a name or an id of a person', async () => {
    const { hosted, content } = await start();
    const person = hosted.person(0);
    const signedIn = await hosted.signIn(person, { clientName: 'Assistant of Ann' });
    await ask(signedIn, 'create_transactions', lunch('Noodle Lantern'));
    const { access_token, refresh_token } = signedIn.tokens;
    const secrets = [
      access_token,
      refresh_token,
      person.user.id,
      person.user.ledgers[0]?.id ?? '',
      signedIn.clientId,
    ];
    const all = content();
    for (const secret of [...secrets, 'Noodle Lantern', 'Assistant of Ann', 'Household', 'Groceries'])
      expect(all.includes(secret), secret).toBe(false);
  });

  describe.each([
    [
      'delete everything on their page',
      async ({ hosted }: Started, person: Person) => {
        const account = await hosted.account(person);
        await account.submit('delete');
      },
    ],
    [
      'are removed by the command, while the server runs',
      async ({ forget }: Started, person: Person) => {
        const { exitCode, stdout, stderr } = await forget(person.user.id);
        expect(stdout + stderr).toContain(
          'Nothing is stored about this person. 2 applications have no access any more.',
        );
        expect(exitCode).toBe(0);
      },
    ],
  ])('of people who %s', (_, remove) => {
    test('nothing stays, their access ends at once, and others notice nothing', async () => {
      const started = await start();
      const { hosted, names } = started;
      const [person, other] = [hosted.person(0), hosted.person(1)];
      const kept = await hosted.signIn(other);
      await ask(kept);
      const ofOther = await names();
      const ended = [await hosted.signIn(person), await hosted.signIn(person, { decision: 'allow-reading' })];
      for (const each of ended) await ask(each);
      const [first] = ended;
      const stream = await first?.listen([`budget://v1/budgets/${person.user.ledgers[0]?.id}/accounts`]);
      expect((await names()).length).toBeGreaterThan(ofOther.length);
      await remove(started, person);
      // The server ends the stream when it has removed everything.
      await stream?.text().catch(() => {});
      for (const each of ended) expect((await each.call('list_accounts')).status).toBe(401);
      await expect.poll(names).toEqual(ofOther);
      await ask(kept);
      const next = await hosted.account(person);
      expect(next.grants).toEqual([]);
      expect(next.view.text).toContain('No application has access to your budgets.');
      expect(next.view.text).not.toContain('Written by applications that have no access any more');
      await hosted.stopProgram();
      expect(await names()).toEqual(ofOther);
    });
  });
}

type Started = Awaited<ReturnType<typeof startServer>>;
