/** Requests of the newer era that reach several machines, with a real Redis and the official client. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectModern, type Person, type Started } from '../../hosts.helper.ts';
import { noRedis } from '../../store/redis.helper.ts';
import { startMachines } from '../machines.helper.ts';

async function connect(http: NonNullable<Started['http']>, person?: Person) {
  const host = await connectModern({ http, ...(person && { person }) });
  onTestFinished(() => host.close());
  return host;
}

const bakery = {
  transactions: [{ account_id: 'Checking', date: 'today', amount: -1, payee_name: 'Bakery of the machines' }],
};

const search = { text: 'Bakery of the machines' };

describe.skipIf(noRedis)('a consent in the newer era', () => {
  it('counts on another machine than the one that has asked, once, however often it is sent', async () => {
    const running = await startMachines(3, { confirm: 'writes' });
    const host = await connect(running.inTurn, () => 'accept');
    expect((await host.call('create_transactions', bakery)).text).toContain('Written.');
    const calls = running.requests.filter(({ body }) => body.includes('create_transactions'));
    expect(calls).toHaveLength(2);
    const [question, consent] = calls;
    expect(question?.machine).not.toBe(consent?.machine);
    for (const { url } of running.machines) {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': 'create_transactions',
        },
        body: consent?.body ?? '',
      });
      expect(await response.text()).toContain('"input_required"');
    }
    expect((await host.call('find_transactions', search)).text).toContain(' · 1 transactions');
  });

  it('does not count for another write than the one that was shown', async () => {
    const running = await startMachines(2, { confirm: 'writes' });
    const http = running.inTurn;
    let isChanged = false;
    const host = await connect(
      {
        ...http,
        fetch: (url, init) => {
          const isConsent = typeof init?.body === 'string' && init.body.includes('inputResponses');
          if (!isConsent || isChanged) return http.fetch(url, init);
          isChanged = true;
          return http.fetch(url, {
            ...init,
            body: String(init.body).replace('"amount":-1', '"amount":-9000'),
          });
        },
      },
      (question) => (question.includes('9') ? 'decline' : 'accept'),
    );
    expect((await host.call('create_transactions', bakery)).text).toContain('decline');
    expect((await host.call('find_transactions', search)).text).toContain(' · 0 transactions');
  });

  it('counts in the chat after a dry run on another machine', async () => {
    const running = await startMachines(2, { confirm: 'writes' });
    const host = await connect(running.inTurn);
    const preview = await host.call('create_transactions', { ...bakery, dry_run: true });
    expect(preview.isError).toBe(false);
    const confirmed = await host.call('create_transactions', { ...bakery, confirm: true });
    expect(confirmed.text).toContain('Written.');
    const again = await host.call('create_transactions', { ...bakery, confirm: true });
    expect(again.isError).toBe(true);
    const [dryRun, call] = running.requests.filter(({ body }) => body.includes('create_transactions'));
    expect(dryRun?.machine).not.toBe(call?.machine);
  });
});

describe.skipIf(noRedis)('a change that one machine learns', () => {
  it('reaches the listeners of both other machines, although one of them has nothing cached', async () => {
    const running = await startMachines(3);
    const [one, cached, empty] = await Promise.all(
      [0, 1, 2].map((machine) => connect(running.routed(() => machine))),
    );
    const transactions = running.uri('transactions');
    for (const _ of [1, 2]) await cached?.call('list_accounts');
    await cached?.subscribe(transactions);
    await empty?.subscribe(transactions);
    expect((await one?.call('create_transactions', bakery))?.text).toContain('Written.');
    expect(await cached?.nextUpdate()).toBe(transactions);
    expect(await empty?.nextUpdate()).toBe(transactions);
    expect(cached?.updates).toEqual([]);
  });
});
