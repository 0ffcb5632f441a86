import { expect, onTestFinished, test } from 'vitest';
import { connectLegacy, connectModern } from '../hosts.helper.ts';
import { type HttpProgram, startHttpProgram } from '../http-program.helper.ts';
import { HostedProgram } from './hosted-program.helper.ts';

async function metricsOf(program: HttpProgram): Promise<string> {
  const [, url = ''] = /Metrics are at (\S+)\n/.exec(program.written()) ?? [];
  return (await fetch(url)).text();
}

/** Undefined if there is no such line. */
function sampleOf(text: string, line: string): number | undefined {
  const found = text.split('\n').find((each) => each.startsWith(`${line} `));
  return found === undefined ? undefined : Number(found.slice(line.length + 1));
}

/** All texts in a JSON value, ids and names included. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

test('the metrics of a hosted server count the calls of two people, and contain no id, name, token or amount of them', async () => {
  const hosted = await HostedProgram.start({
    args: ['--metrics-port', '0', '--confirm', 'none'],
    rateLimit: 200,
  });
  onTestFinished(() => hosted.close());
  const people = [hosted.person(0), hosted.person(1)];
  const secrets = new Set<string>();
  for (const person of people) {
    const signedIn = await hosted.signIn(person, { clientName: 'Assistant with a name' });
    const { access_token, refresh_token } = signedIn.tokens;
    const budgetId = person.user.ledgers[0]?.id ?? '';
    const budget = textsIn(await hosted.get(person, `/budgets/${budgetId}`));
    const { email, password } = person.signIn;
    const own = [access_token, refresh_token, signedIn.clientId, person.user.id, budgetId, email, password];
    for (const each of [...own, ...budget, 'Assistant with a name', '731']) secrets.add(each);
    const host = await connectModern({ http: signedIn.http });
    expect((await host.call('list_accounts')).isError).toBe(false);
    expect((await host.call('list_accounts')).isError).toBe(false);
    expect((await host.call('list_accounts', { budget_id: 'no such budget' })).isError).toBe(true);
    const transaction = { account_id: 'Checking', date: 'today', amount: -731.93 };
    expect((await host.call('create_transactions', { transactions: [transaction] })).isError).toBe(false);
    await host.close();
  }
  const legacy = await connectLegacy({
    http: (await hosted.signIn(hosted.person(0))).http,
  });
  const text = await metricsOf(hosted.program);
  await legacy.close();

  const calls = (tool: string, outcome: string, source: string) =>
    sampleOf(text, `budget_mcp_tool_calls_total{tool="${tool}",outcome="${outcome}",source="${source}"}`);
  expect(calls('list_accounts', 'answered', 'service')).toBe(2);
  expect(calls('list_accounts', 'answered', 'memory')).toBe(2);
  expect(calls('list_accounts', 'unknown_budget', 'service')).toBe(2);
  expect(calls('create_transactions', 'answered', 'service')).toBe(2);
  expect(sampleOf(text, 'budget_mcp_tool_call_duration_seconds_count{tool="list_accounts"}')).toBe(6);
  const posted = 'route="POST /budgets/{budget_id}/transactions",outcome="2xx"';
  expect(sampleOf(text, `budget_mcp_service_requests_total{${posted}}`)).toBe(2);
  expect(sampleOf(text, 'budget_mcp_grants_open')).toBe(3);
  expect(sampleOf(text, 'budget_mcp_sessions_open')).toBe(1);
  expect(sampleOf(text, 'budget_mcp_cache_bytes')).toBeGreaterThan(0);
  expect(
    sampleOf(text, 'budget_mcp_http_requests_total{route="/oauth/token",method="POST",status="2xx"}'),
  ).toBe(3);
  // Of 200, one grant has sent a few.
  const lowest = sampleOf(text, 'budget_mcp_service_requests_left_lowest');
  expect(lowest).toBeGreaterThan(180);
  expect(lowest).toBeLessThan(200);

  // Without the numbers, which are no texts of the people: counts, times and sizes.
  const words = text.replace(/ [\d.e+-]+$/gm, '');
  // Shorter texts, such as EUR or a colour, can occur in any word.
  const found = [...secrets].filter((secret) => secret.length > 4 && words.includes(secret));
  expect(found).toEqual([]);
  expect(words).not.toContain('731');
});

test('the public port has no metrics, and the port of the metrics has nothing else', async () => {
  const program = await startHttpProgram(['--demo', '--metrics-port', '0']);
  expect((await fetch(new URL('/metrics', program.url))).status).toBe(404);
  const [, url = ''] = /Metrics are at (\S+)\n/.exec(program.written()) ?? [];
  const answer = await fetch(url);
  expect(answer.headers.get('content-type')).toContain('text/plain; version=0.0.4');
  expect(await answer.text()).toMatch(/^# HELP nodejs_eventloop_lag_seconds /m);
  for (const path of ['/', '/mcp', '/healthz', '/metrics/x'])
    expect((await fetch(new URL(path, url))).status).toBe(404);
  expect(await program.stop()).toBe(0);
});
