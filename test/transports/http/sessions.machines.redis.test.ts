/** Sessions of the older era whose requests reach several machines, with a real Redis and the official client. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { Arrivals } from '../../arrivals.helper.ts';
import { connectLegacy, type Person, type Started } from '../../hosts.helper.ts';
import { noRedis } from '../../state/redis.helper.ts';
import { type Machines, startMachines } from '../machines.helper.ts';

async function connect(http: NonNullable<Started['http']>, person?: Person) {
  const host = await connectLegacy({ http, ...(person && { person }) });
  onTestFinished(() => host.close());
  return host;
}

const bakery = {
  transactions: [{ account_id: 'Checking', date: 'today', amount: -1, payee_name: 'Bakery of the machines' }],
};

const written = async ({ machines }: Machines) => {
  const { text } = await (await connect({ url: machines[0]?.url ?? '' })).call('find_transactions', {
    text: 'Bakery of the machines',
  });
  return text;
};

const message = (method: string, params: object, id: number | string | undefined = 1) =>
  JSON.stringify({ jsonrpc: '2.0', method, params, ...(id !== undefined && { id }) });

const post = (url: string, body: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      ...headers,
    },
    body,
  });

const initialization = message('initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'raw', version: '1' },
});

async function begin(url: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const response = await post(url, initialization, headers);
  await response.text();
  return response.headers.get('mcp-session-id') ?? `${response.status}`;
}

async function statusOf(response: Response): Promise<number> {
  await response.text();
  return response.status;
}

const ping = async (url: string, session: string, headers: Readonly<Record<string, string>> = {}) =>
  statusOf(await post(url, message('ping', {}), { 'mcp-session-id': session, ...headers }));

describe.skipIf(noRedis)('a session of the older era', () => {
  it('is answered by three machines in turn', async () => {
    const running = await startMachines(3);
    const host = await connect(running.inTurn);
    for (let at = 0; at < 6; at += 1) expect((await host.call('list_accounts')).text).toContain('Checking');
    expect(new Set(running.requests.map(({ machine }) => machine))).toEqual(new Set([0, 1, 2]));
    expect(running.errors).toEqual([]);
  });

  it('is found again after all machines were started again', async () => {
    const running = await startMachines(2);
    const { machines, startMachine } = running;
    const [one, other] = machines;
    const session = await begin(one?.url ?? '');
    await one?.close();
    await other?.close();
    const next = await startMachine();
    expect(await ping(next.url, session)).toBe(200);
  });

  it('does not exist on another machine for a caller who has not begun it', async () => {
    const { machines } = await startMachines(2);
    const [one, other] = machines.map(({ url }) => url);
    const session = await begin(one ?? '');
    const origin = new URL(other ?? '').origin;
    expect(await ping(other ?? '', session, { origin })).toBe(404);
    expect(await ping(other ?? '', session)).toBe(200);
    expect(await ping(other ?? '', session, { origin })).toBe(404);
  });

  it('ends on all machines when its host ends it on one of them', async () => {
    const { machines } = await startMachines(3);
    const [one = '', other = '', third = ''] = machines.map(({ url }) => url);
    const session = await begin(one);
    expect(await ping(other, session)).toBe(200);
    const ended = await fetch(third, {
      method: 'DELETE',
      headers: { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' },
    });
    expect(ended.status).toBe(200);
    for (const url of [one, other, third]) await expect.poll(() => ping(url, session)).toBe(404);
  });

  it('ends on all machines when there are too many on all together, the least recently begun first', async () => {
    const { machines } = await startMachines(3, { maxSessions: 3 });
    const [one = '', other = '', third = ''] = machines.map(({ url }) => url);
    const first = await begin(one);
    const later = [await begin(other), await begin(third), await begin(one)];
    for (const url of [one, other, third]) await expect.poll(() => ping(url, first)).toBe(404);
    for (const session of later) expect(await ping(other, session)).toBe(200);
  });

  it('keeps its place while its stream is open on another machine', async () => {
    const { machines } = await startMachines(2, { maxSessions: 2 });
    const [one = '', other = ''] = machines.map(({ url }) => url);
    const first = await begin(one);
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const stream = await fetch(one, {
      headers: { accept: 'text/event-stream', 'mcp-session-id': first },
      signal: stop.signal,
    });
    expect(stream.status).toBe(200);
    const second = await begin(other);
    const third = await begin(other);
    expect(await ping(other, first)).toBe(200);
    await expect.poll(() => ping(one, second)).toBe(404);
    expect(await ping(one, third)).toBe(200);
  });

  it('does not store a subscription whose address is longer than that of any resource', async () => {
    const { machines } = await startMachines(1);
    const [{ url, store } = expect.unreachable()] = machines;
    const session = await begin(url);
    const subscription = message('resources/subscribe', { uri: `budget://v1/${'x'.repeat(100_000)}` }, 2);
    await statusOf(await post(url, subscription, { 'mcp-session-id': session }));
    expect(JSON.stringify(await store.read('sessions')).length).toBeLessThan(5_000);
  });

  it('keeps a bounded number of answers for other machines, however many a host sends', async () => {
    const { machines } = await startMachines(1);
    const [{ url, store } = expect.unreachable()] = machines;
    const session = await begin(url);
    const answer = JSON.stringify({ jsonrpc: '2.0', id: 'of no question', result: {} });
    for (let at = 0; at < 600; at += 1)
      expect(await statusOf(await post(url, answer, { 'mcp-session-id': session }))).toBe(202);
    let kept = 0;
    for await (const _ of store.entries('messages of sessions')) kept += 1;
    expect(kept).toBeLessThanOrEqual(510);
  });

  it('is refused if its parameters are too long to be shared', async () => {
    const { machines } = await startMachines(1);
    const response = await post(
      machines[0]?.url ?? '',
      message('initialize', {
        protocolVersion: '2025-11-25',
        capabilities: { experimental: { long: { text: 'x'.repeat(20_000) } } },
        clientInfo: { name: 'raw', version: '1' },
      }),
    );
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('16384');
  });
});

describe.skipIf(noRedis)('a question to the user in a session of the older era', () => {
  /** The calls reach machine 0, and the answers to its questions another one. */
  const answersElsewhere = (running: Machines) =>
    running.routed((method, body) => (method === 'POST' && body.includes('"result"') ? 1 : 0));

  it('is answered on another machine, and the write is done once', async () => {
    const running = await startMachines(2, { confirm: 'writes' });
    const asked: string[] = [];
    const host = await connect(answersElsewhere(running), (question) => {
      asked.push(question);
      return 'accept';
    });
    expect((await host.call('create_transactions', bakery)).text).toContain('Written.');
    expect(asked).toHaveLength(1);
    expect(running.requests.filter(({ machine }) => machine === 1)).toHaveLength(1);
    expect(await written(running)).toMatch(/ · 1 transactions/);
  });

  it('is answered for each of several writes, whichever machines get calls and answers', async () => {
    const running = await startMachines(3, { confirm: 'writes' });
    const host = await connect(running.inTurn, () => 'accept');
    for (let at = 0; at < 5; at += 1)
      expect((await host.call('create_transactions', bakery)).text).toContain('Written.');
    expect(await written(running)).toContain(' · 5 transactions');
    expect(running.errors).toEqual([]);
  });

  it('is declined on another machine, and nothing is written', async () => {
    const running = await startMachines(2, { confirm: 'writes' });
    const host = await connect(answersElsewhere(running), () => 'decline');
    const { text, isError } = await host.call('create_transactions', bakery);
    expect(isError).toBe(true);
    expect(text).toContain('decline');
    expect(await written(running)).toMatch(/ · 0 transactions/);
  });

  it('of two calls on two machines at once: each answer counts for its own call', async () => {
    const running = await startMachines(3, { confirm: 'writes' });
    let calls = 0;
    const route = (method: string, body: string) => {
      if (method === 'POST' && body.includes('"result"')) return 2;
      if (!body.includes('tools/call')) return 0;
      calls += 1;
      return calls % 2;
    };
    const host = await connect(running.routed(route), (question) =>
      question.includes('Wanted') ? 'accept' : 'decline',
    );
    const call = (name: string) =>
      host.call('create_transactions', {
        transactions: [{ account_id: 'Checking', date: 'today', amount: -1, payee_name: name }],
      });
    for (let at = 0; at < 3; at += 1) {
      const [wanted, other] = await Promise.all([call(`Wanted ${at}`), call(`Refused ${at}`)]);
      expect(wanted.text).toContain('Written.');
      expect(other.isError).toBe(true);
    }
    const { text } = await host.call('find_transactions', { text: 'Refused' });
    expect(text).toMatch(/ · 0 transactions/);
  });

  it('is not answered by a host that guesses the id', async () => {
    const running = await startMachines(2, { confirm: 'writes' });
    const [one = '', other = ''] = running.machines.map(({ url }) => url);
    let session = '';
    const http = running.routed(() => 0);
    const host = await connect(
      {
        ...http,
        fetch: async (url, init) => {
          const response = await http.fetch(url, init);
          session = response.headers.get('mcp-session-id') ?? session;
          return response;
        },
      },
      async (): Promise<'decline'> => {
        const accept = { jsonrpc: '2.0', result: { action: 'accept', content: {} } };
        for (const id of [0, 1, '0', '1'])
          for (const url of [one, other])
            await statusOf(await post(url, JSON.stringify({ ...accept, id }), { 'mcp-session-id': session }));
        return 'decline';
      },
    );
    expect((await host.call('create_transactions', bakery)).text).toContain('decline');
    expect(await written(running)).toMatch(/ · 0 transactions/);
  });
});

describe.skipIf(noRedis)('notifications in a session of the older era', () => {
  it('come once, from the machine with the stream, for a subscription on a second and a write on a third machine', async () => {
    const running = await startMachines(3);
    const [payees, transactions] = [running.uri('payees'), running.uri('transactions')];
    const host = await connect(
      running.routed((method, body) => {
        // The machine with the stream has the budget, so that it knows what a change does to which resource.
        if (method === 'GET' || body.includes('initialize') || body.includes('list_accounts')) return 0;
        if (body.includes('subscribe')) return 1;
        return 2;
      }),
    );
    // The second one loads the whole budget.
    for (const _ of [1, 2]) await host.call('list_accounts');
    await host.subscribe(transactions, payees);
    // Both are read again by the machine that takes over the subscriptions, which cannot know since when they are the same.
    expect(new Set([await host.nextUpdate(), await host.nextUpdate()])).toEqual(
      new Set([transactions, payees]),
    );
    const withoutPayee = [{ account_id: 'Checking', date: 'today', amount: -2 }];
    const { text } = await host.call('create_transactions', { transactions: withoutPayee });
    expect(text).toContain('Written.');
    expect(await host.nextUpdate()).toBe(transactions);
    await host.call('create_transactions', bakery);
    const next = [await host.nextUpdate(), await host.nextUpdate()];
    expect(new Set(next)).toEqual(new Set([transactions, payees]));
    expect(host.updates).toEqual([]);
  });

  it('end on the machine with the stream after the host has unsubscribed on another one', async () => {
    const running = await startMachines(2);
    const [payees, transactions] = [running.uri('payees'), running.uri('transactions')];
    const host = await connect(running.routed((method) => (method === 'GET' ? 0 : 1)));
    await host.subscribe(payees);
    expect(await host.nextUpdate()).toBe(payees);
    await host.unsubscribe();
    await host.subscribe(transactions);
    expect(await host.nextUpdate()).toBe(transactions);
    await host.call('create_transactions', bakery);
    expect(await host.nextUpdate()).toBe(transactions);
    expect(host.updates).toEqual([]);
  });

  /** The notifications on the stream of a session, in the order of their arrival. */
  async function listen(url: string, headers: Readonly<Record<string, string>>) {
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const stream = await fetch(url, {
      headers: { ...headers, accept: 'text/event-stream' },
      signal: stop.signal,
    });
    const updates = new Arrivals<string>();
    const read = async () => {
      for await (const text of stream.body?.pipeThrough(new TextDecoderStream()) ?? [])
        for (const [, uri = ''] of text.matchAll(/"uri":"([^"]*)"/g)) updates.add(uri);
    };
    read().catch(() => {});
    return updates;
  }

  it('go on with the next stream, on a machine that did not know the session', async () => {
    const running = await startMachines(3);
    const payees = running.uri('payees');
    const [one = '', other = '', third = ''] = running.machines.map(({ url }) => url);
    const session = await begin(one);
    const headers = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' };
    await statusOf(await post(other, message('resources/subscribe', { uri: payees }), headers));
    await running.machines[0]?.close();
    const updates = await listen(third, headers);
    expect(await updates.next()).toBe(payees);
    const call = message('tools/call', { name: 'create_transactions', arguments: bakery });
    await statusOf(await post(other, call, headers));
    expect(await updates.next()).toBe(payees);
  });

  it('are not sent again by a machine that gets the stream later', async () => {
    const running = await startMachines(2);
    const payees = running.uri('payees');
    const [one = '', other = ''] = running.machines.map(({ url }) => url);
    const session = await begin(one);
    const headers = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' };
    const first = await listen(one, headers);
    await statusOf(await post(other, message('resources/subscribe', { uri: payees }), headers));
    expect(await first.next()).toBe(payees);
    const call = (payee_name: string) =>
      message('tools/call', {
        name: 'create_transactions',
        arguments: { transactions: [{ ...bakery.transactions[0], payee_name }] },
      });
    await statusOf(await post(other, call('First payee'), headers));
    expect(await first.next()).toBe(payees);
    const second = await listen(other, headers);
    // Once, because changes may have been missed in between.
    expect(await second.next()).toBe(payees);
    await statusOf(await post(other, call('Second payee'), headers));
    expect(await second.next()).toBe(payees);
    expect(second.waiting).toEqual([]);
  });
});

describe.skipIf(noRedis)('a call in a session of the older era', () => {
  it('is cancelled when its host says so on another machine', async () => {
    const running = await startMachines(2, { confirm: 'writes' });
    const stop = new AbortController();
    const host = await connect(
      running.routed((_, body) => (body.includes('notifications/cancelled') ? 1 : 0)),
      async () => {
        stop.abort();
        return new Promise(() => {});
      },
    );
    await expect(host.call('create_transactions', bakery, { signal: stop.signal })).rejects.toThrow();
    const call = running.requests.find(({ body }) => body.includes('tools/call'));
    await expect.poll(() => call?.hasEnded).toBe(true);
    expect(await written(running)).toMatch(/ · 0 transactions/);
  });
});
