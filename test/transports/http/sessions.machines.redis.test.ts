/**
 * Sessions of the older era without affinity: requests reach another machine than the one that has the session. With a real
 * Redis and the official client.
 */
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectLegacy, type Person, type Started } from '../../hosts.helper.ts';
import { noRedis } from '../../store/redis.helper.ts';
import { type Machines, startMachines } from '../machines.helper.ts';

async function connect(http: NonNullable<Started['http']>, person?: Person) {
  const host = await connectLegacy({ http, ...(person && { person }) });
  onTestFinished(() => host.close());
  return host;
}

const at = ({ machines }: Machines, nth: number) => ({ url: machines[nth]?.url ?? '' });

const bakery = {
  transactions: [{ account_id: 'Checking', date: 'today', amount: -1, payee_name: 'Bakery of the machines' }],
};

const written = async (running: Machines) =>
  (await (await connect(at(running, 0))).call('find_transactions', { text: 'Bakery of the machines' })).text;

describe.skipIf(noRedis)('a session of the older era', () => {
  it('does not exist on another machine, where its host begins again', async () => {
    const running = await startMachines(2);
    let machine = 0;
    const host = await connect(running.routed(() => machine));
    expect((await host.call('list_accounts')).text).toContain('Checking');
    machine = 1;
    await expect(host.call('list_accounts')).rejects.toThrow(/404|does not exist/);
    const next = await connect(at(running, 1));
    expect((await next.call('list_accounts')).text).toContain('Checking');
    expect(running.errors).toEqual([]);
  });

  it('that was lost takes no consent with it, which still counts once in the next session on another machine', async () => {
    const running = await startMachines(2, { confirm: 'writes' });
    const first = await connect(at(running, 0));
    expect((await first.call('create_transactions', { ...bakery, dry_run: true })).isError).toBe(false);
    const next = await connect(at(running, 1));
    const confirmed = await next.call('create_transactions', { ...bakery, confirm: true });
    expect(confirmed.text).toContain('Written.');
    const again = await first.call('create_transactions', { ...bakery, confirm: true });
    expect(again.isError).toBe(true);
    expect(await written(running)).toContain(' · 1 transactions');
  });

  it('gets no answer to its question from another machine: the call ends unwritten when its host gives it up', async () => {
    const running = await startMachines(2, { confirm: 'writes' });
    const stop = new AbortController();
    const route = (method: string, body: string) => (method === 'POST' && body.includes('"result"') ? 1 : 0);
    const http = running.routed(route);
    const host = await connect(
      {
        ...http,
        fetch: async (url, init) => {
          const response = await http.fetch(url, init);
          if (response.status === 404) stop.abort();
          return response;
        },
      },
      () => 'accept',
    );
    await expect(host.call('create_transactions', bakery, { signal: stop.signal })).rejects.toThrow();
    const call = running.requests.find(({ body }) => body.includes('tools/call'));
    await expect.poll(() => call?.hasEnded).toBe(true);
    expect(await written(running)).toContain(' · 0 transactions');
  });
});
