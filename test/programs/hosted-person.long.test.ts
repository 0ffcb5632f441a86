/** What a person sees of a hosted server: in an assistant of either protocol era, and on their page. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { Person } from '../../src/service/server.ts';
import { connectLegacy, connectModern, eras, type Host } from '../hosts.helper.ts';
import { HostedProgram, type SignedIn } from './hosted-program.helper.ts';

let hosted: HostedProgram;
beforeAll(async () => {
  // Each test has a person of its own.
  hosted = await HostedProgram.start({
    households: Array.from({ length: 8 }, () => ({ transactions: 200 })),
  });
});
afterAll(() => hosted.close());

const people = {
  asks: 0,
  readsOnly: 1,
  endsAccess: 2,
  sets: 3,
  confirms: 4,
  writes: 5,
  deletes: 6,
  other: 7,
};

const accounts = z.object({
  accounts: z.array(z.object({ id: z.string(), name: z.string(), balance: z.number() })),
});

/** The accounts of a person's first budget as the service gives them, with balances in currency units. */
async function accountsOf(person: Person) {
  const data = await hosted.get(person, `/budgets/${person.user.ledgers[0]?.id}/accounts`);
  return accounts
    .parse(data)
    .accounts.map(({ id, name, balance }) => ({ id, name, balance: balance / 1_000 }));
}

const toolNames = async ({ client }: Host) => (await client.listTools()).tools.map(({ name }) => name);

async function connected(host: Promise<Host>): Promise<Host> {
  const connected = await host;
  onTestFinished(() => connected.close());
  return connected;
}

async function answer(host: Host, tool: string, args: Record<string, unknown> = {}) {
  const called = await host.call(tool, args);
  expect(called.isError, called.text).toBe(false);
  return called;
}

const dryRun = z
  .object({
    would_send: z.object({
      input: z.object({ transactions: z.tuple([z.object({ date: z.string() })]) }),
    }),
  })
  .transform(({ would_send }) => would_send.input.transactions[0].date);

const lunch = (fields: object = {}) => ({
  transactions: [{ account_id: 'Checking', date: 'today', amount: -12.5, payee_name: 'Noodle Lantern' }],
  ...fields,
});

describe.each(eras)('an assistant that speaks %s', (_, connect) => {
  test('gets what belongs to the person who has signed in', async () => {
    const person = hosted.person(people.asks);
    const host = await connected(connect({ http: (await hosted.signIn(person)).http }));
    const { structured } = await answer(host, 'list_accounts');
    expect(accounts.parse(structured).accounts).toEqual(await accountsOf(person));
  });

  test('has no tools that write if the person allowed reading only', async () => {
    const person = hosted.person(people.readsOnly);
    const [reading, writing] = await Promise.all(
      (['allow-reading', 'allow'] as const).map(async (decision) =>
        connected(connect({ http: (await hosted.signIn(person, { decision })).http })),
      ),
    );
    const names = reading ? await toolNames(reading) : [];
    expect(names).toContain('list_accounts');
    expect(names.filter((name) => /^(create|update|delete|undo|assign|move)/.test(name))).toEqual([]);
    expect(writing ? await toolNames(writing) : []).toContain('create_transactions');
  });
});

test('a call that writes is answered with a challenge for more if the person allowed reading only', async () => {
  const person = hosted.person(people.readsOnly);
  const signedIn = await hosted.signIn(person, { decision: 'allow-reading' });
  const before = await accountsOf(person);
  for (const args of [lunch(), lunch({ dry_run: true })]) {
    const { status, headers } = await signedIn.call('create_transactions', args);
    expect(status).toBe(403);
    expect(headers.get('www-authenticate')).toBe(
      `Bearer error="insufficient_scope", scope="budget:read budget:write", resource_metadata="${hosted.issuer}/.well-known/oauth-protected-resource/mcp"`,
    );
  }
  expect((await signedIn.call('list_accounts')).status).toBe(200);
  expect(await accountsOf(person)).toEqual(before);
});

test('a request without a token, or with one that is not of this server, learns where to sign in', async () => {
  const metadata = `${hosted.issuer}/.well-known/oauth-protected-resource/mcp`;
  const ask = (headers: Record<string, string>) => fetch(hosted.url, { method: 'POST', headers, body: '{}' });
  // A token of the budgeting service is not one of this server.
  const foreign = hosted.service.accessToken;
  for (const headers of [{}, { authorization: `Bearer ${foreign}` }, { authorization: 'Basic YTpi' }]) {
    const response = await ask(headers);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain(`resource_metadata="${metadata}"`);
  }
});

const uriOf = ({ user }: Person) => `budget://v1/budgets/${user.ledgers[0]?.id}/accounts`;

describe('the end of an access on the page of a person', () => {
  /** An assistant of each era, with an open stream. */
  async function listening(signedIn: SignedIn, person: Person) {
    const hosts = await Promise.all([connected(signedIn.modern()), connected(signedIn.legacy())]);
    for (const host of hosts) await host.subscribe(uriOf(person));
    return hosts;
  }
  /** A stream of the newer era, read without a client, which would connect again. */
  async function openStream(signedIn: SignedIn, person: Person) {
    const response = await signedIn.listen([uriOf(person)]);
    const ended = response.text().then(
      () => 'ended',
      () => 'ended',
    );
    expect(response.status).toBe(200);
    return { ended };
  }

  test('ends its tokens, its sessions and its open streams at once, and nothing else', async () => {
    const person = hosted.person(people.endsAccess);
    const kept = await hosted.signIn(person, { clientName: 'Kept' });
    const ended = await hosted.signIn(person, { clientName: 'Ended' });
    const other = await hosted.signIn(hosted.person(people.other));
    const [modern, legacy] = await listening(ended, person);
    const [keptModern, keptLegacy] = await listening(kept, person);
    const stream = await openStream(ended, person);
    const keptStream = await openStream(kept, person);

    const account = await hosted.account(person);
    expect(account.view.text).toMatch(
      /<h3>&quot;Ended&quot;<\/h3>\n<dl>\n<dt>May<\/dt><dd>read and change your budgets<\/dd>\n<dt>Connected<\/dt><dd>.*, from this computer \(127\.0\.0\.1\)<\/dd>/,
    );
    const [newest = ''] = account.grants;
    await account.submit('revoke', { grant: newest });
    expect(account.grants).toHaveLength(1);
    expect(account.view.text).not.toContain('Ended');

    expect(await stream.ended).toBe('ended');
    expect((await ended.call('list_accounts')).status).toBe(401);
    for (const host of [modern, legacy]) await expect(host.call('list_accounts')).rejects.toThrow();
    await expect(hosted.refresh(ended)).rejects.toThrow('invalid_grant');

    for (const host of [keptModern, keptLegacy]) await answer(host, 'list_accounts');
    expect((await other.call('list_accounts')).status).toBe(200);
    expect(await Promise.race([keptStream.ended, 'open'])).toBe('open');
    await hosted.refresh(kept);
  });

  test('is refused for the access of another person, and for a form of another page', async () => {
    const person = hosted.person(people.other);
    const mine = await hosted.signIn(person);
    const stranger = await hosted.account(hosted.person(people.asks));
    const own = await hosted.account(person);
    const [grant = ''] = own.grants;
    await stranger.submit('revoke', { grant });
    expect((await mine.call('list_accounts')).status).toBe(200);
    await own.submit('revoke', { grant, csrf: 'x'.repeat(43) });
    expect(own.view.status).toBe(400);
    expect((await mine.call('list_accounts')).status).toBe(200);
  });

  test('of all applications ends all of that person and signs out of the page', async () => {
    const person = hosted.person(people.endsAccess);
    const signedIn = [
      await hosted.signIn(person),
      await hosted.signIn(person, { decision: 'allow-reading' }),
    ];
    const other = await hosted.signIn(hosted.person(people.other));
    const account = await hosted.account(person);
    await account.submit('sign-out-everywhere');
    expect(account.view.text).toContain('Sign in with the budgeting service');
    for (const each of signedIn) expect((await each.call('list_accounts')).status).toBe(401);
    expect((await other.call('list_accounts')).status).toBe(200);
  });
});

describe('the settings of a person', () => {
  const dateIn = (timeZone: string) => new Intl.DateTimeFormat('en-CA', { timeZone }).format(Date.now());

  test('choose the time zone and the default budget of all assistants of that person, at once', async () => {
    const person = hosted.person(people.sets);
    const { http } = await hosted.signIn(person);
    const host = await connected(connectModern({ http }));
    const strangers = await connected((await hosted.signIn(hosted.person(people.other))).modern());
    expect((await answer(host, 'list_accounts')).text).toContain('Budget "Household"');
    const account = await hosted.account(person);
    for (const time_zone of ['Pacific/Kiritimati', 'Etc/GMT+12']) {
      await account.submit('settings', { time_zone, budget: '', confirm: '' });
      expect(account.view.status).toBe(200);
      expect(account.view.text).toContain(`<option value="${time_zone}" selected>`);
      const [before, { structured }, after] = [
        dateIn(time_zone),
        await host.call('create_transactions', lunch({ dry_run: true })),
        dateIn(time_zone),
      ];
      expect([before, after]).toContain(dryRun.parse(structured));
    }
    const budget = person.user.ledgers.find((ledger) => ledger.summary().name === 'Japan Trip')?.id ?? '';
    await account.submit('settings', { time_zone: '', budget, confirm: '' });
    for (const connect of [connectModern, connectLegacy]) {
      const other = await connected(connect({ http }));
      expect((await answer(other, 'list_accounts')).text).toContain('Budget "Japan Trip"');
    }
    expect((await answer(host, 'list_accounts')).text).toContain('Budget "Japan Trip"');
    expect((await answer(strangers, 'list_accounts')).text).toContain('Budget "Household"');
  });

  test('that are not known are refused, and the earlier ones stay', async () => {
    const account = await hosted.account(hosted.person(people.sets));
    await account.submit('settings', { time_zone: 'Europe/Berlin', budget: '', confirm: 'writes' });
    const page = account.view;
    for (const wrong of [{ time_zone: 'Europe/Atlantis' }, { confirm: 'never' }]) {
      account.view = page;
      expect((await account.submit('settings', { ...wrong })).status).toBe(400);
    }
    account.view = page;
    expect((await account.reload()).text).toContain('<option value="Europe/Berlin" selected>');
  });

  test('decide whether the person is asked before a write', async () => {
    const person = hosted.person(people.confirms);
    const questions: string[] = [];
    const decline = (question: string) => {
      questions.push(question);
      return 'decline' as const;
    };
    const before = await accountsOf(person);
    const account = await hosted.account(person);
    await account.submit('settings', { time_zone: '', budget: '', confirm: 'writes' });
    for (const connect of [connectModern, connectLegacy]) {
      const { http } = await hosted.signIn(person);
      const host = await connected(connect({ http, person: decline }));
      expect((await host.call('create_transactions', lunch())).text).toContain('This call changed nothing');
    }
    expect(questions).toHaveLength(2);
    expect(await accountsOf(person)).toEqual(before);
    await account.submit('settings', { time_zone: '', budget: '', confirm: 'none' });
    const { http } = await hosted.signIn(person);
    await answer(await connected(connectModern({ http, person: decline })), 'create_transactions', lunch());
    expect(questions).toHaveLength(2);
  });
});

test('the page of a person lists what each client has written, and nobody else sees it', async () => {
  const person = hosted.person(people.writes);
  const clients = await Promise.all(
    ['First <b>assistant</b>', 'Second assistant'].map((clientName) => hosted.signIn(person, { clientName })),
  );
  for (const each of clients) await answer(await connected(each.modern()), 'create_transactions', lunch());
  const refused = await clients[0]?.modern();
  await refused?.call('create_transactions', {
    transactions: [{ ...lunch().transactions[0], account_id: 'None' }],
  });
  await refused?.close();
  const { view } = await hosted.account(person);
  const applications = view.text.split('<section>').slice(1);
  expect(new Set(applications.map((text) => /<h3>(.*)<\/h3>/.exec(text)?.[1]))).toEqual(
    new Set(['&quot;Second assistant&quot;', '&quot;First &lt;b&gt;assistant&lt;/b&gt;&quot;']),
  );
  for (const text of applications)
    expect([...text.matchAll(/<li>(.*)\n(.*)<br>/g)].map(([, tool, outcome]) => [tool, outcome])).toEqual([
      ['<b>Create transactions</b>:', 'done'],
    ]);
  expect(view.text).not.toContain('Noodle Lantern');
  const stranger = await hosted.account(hosted.person(people.asks));
  expect(stranger.view.text).not.toContain('Create transactions');
});

test('a person who deletes everything ends every access, and is as new at the next sign-in', async () => {
  const person = hosted.person(people.deletes);
  const signedIn = await hosted.signIn(person);
  const host = await connected(signedIn.modern());
  await answer(host, 'create_transactions', lunch());
  const account = await hosted.account(person);
  await account.submit('settings', { time_zone: 'Europe/Berlin', budget: '', confirm: '' });
  await account.submit('delete');
  expect((await signedIn.call('list_accounts')).status).toBe(401);
  await expect(hosted.refresh(signedIn)).rejects.toThrow('invalid_grant');
  const next = await hosted.account(person);
  expect(next.grants).toEqual([]);
  expect(next.view.text).not.toContain('Create transactions');
  expect(next.view.text).not.toContain('<option value="Europe/Berlin" selected>');
  const again = await connected((await hosted.signIn(person)).modern());
  expect((await answer(again, 'list_writes')).text).not.toContain('Noodle Lantern');
});
