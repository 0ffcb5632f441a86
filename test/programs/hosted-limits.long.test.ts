/** What one person, one assistant or one address can use of a hosted server at once. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { HostedProgram, type SignedIn } from './hosted-program.helper.ts';

let hosted: HostedProgram;
beforeAll(async () => {
  hosted = await HostedProgram.start();
});
afterAll(() => hosted.close());

const register = (address: string) =>
  fetch(`${hosted.issuer}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ client_name: 'Many', redirect_uris: ['http://127.0.0.1/callback'] }),
  });

/** Opens streams until one is refused. Returns how many are open. */
async function openStreams(signedIn: SignedIn): Promise<number> {
  const uri = `budget://v1/budgets/${hosted.person(0).user.ledgers[0]?.id}/accounts`;
  for (let count = 0; ; count += 1) {
    const response = await signedIn.listen([uri]);
    if (response.status === 200) onTestFinished(() => response.body?.cancel());
    else {
      expect(response.status).toBe(429);
      expect(response.headers.get('retry-after')).toBe('1');
      return count;
    }
  }
}

test('an assistant, and all assistants of a person together, have a limit, and other people do not notice', async () => {
  const [first, second, third] = [
    await hosted.signIn(hosted.person(0)),
    await hosted.signIn(hosted.person(0)),
    await hosted.signIn(hosted.person(0)),
  ];
  const other = await hosted.signIn(hosted.person(1));
  expect(await openStreams(first)).toBe(64);
  expect(await openStreams(second)).toBe(64);
  expect(await openStreams(third)).toBe(0);
  expect((await other.call('list_accounts')).status).toBe(200);
  // Their pages are open, so that the person can end it.
  expect((await hosted.account(hosted.person(0))).grants).toHaveLength(3);
});

test('an address can register 20 clients a minute, and others can register theirs', async () => {
  const answers = await Promise.all(Array.from({ length: 25 }, () => register('198.51.100.7')));
  expect(answers.filter(({ status }) => status === 201).length).toBeLessThan(25);
  const refused = answers.find(({ status }) => status === 429);
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await register('198.51.100.8')).status).toBe(201);
});

test('bodies that are too large are refused, and are no error of the server', async () => {
  const body = 'x'.repeat(100_000);
  for (const path of ['/oauth/register', '/oauth/token', '/oauth/revoke', '/account/settings']) {
    const type = path === '/oauth/register' ? 'application/json' : 'application/x-www-form-urlencoded';
    const response = await fetch(hosted.issuer + path, {
      method: 'POST',
      headers: { 'content-type': type, 'x-forwarded-for': '198.51.100.9' },
      body,
    });
    expect(response.status, path).toBeGreaterThanOrEqual(400);
    expect(response.status, path).toBeLessThan(500);
  }
  expect(hosted.program.written()).not.toContain('internal error');
});
