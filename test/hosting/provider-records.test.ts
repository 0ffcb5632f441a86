/** What happens when requests come at the same time. Each test chooses their order. */
import { describe, expect, it } from 'vitest';
import { Grants } from '../../src/hosting/grants.ts';
import { ProviderRecords } from '../../src/hosting/provider-records.ts';
import { MemoryStore, SharedMemory } from '../../src/store/memory-store.ts';
import { ManualClock } from '../manual-clock.helper.ts';

const DAY = 24 * 3_600_000;
const grantKey = Buffer.alloc(32, 1);
const payload = { grantId: 'grant', clientId: 'client' };

async function start() {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const memory = new SharedMemory();
  const store = new MemoryStore(clock, memory);
  const grants = new Grants(store, clock);
  const records = new ProviderRecords(store, clock, grants, 'https://a.example/mcp');
  await grants.create(
    {
      id: 'grant',
      personId: 'anna',
      clientId: 'client',
      clientName: 'Assistant',
      redirectHost: 'assistant.example',
      scopes: ['budget:read'],
      createdAt: clock.now(),
      expiresAt: clock.now() + DAY,
    },
    grantKey,
    { kind: 'personal', id: 'sign-in', baseUrl: 'https://api.example/v1', accessToken: 'access' },
  );
  const codes = records.adapterOf('AuthorizationCode');
  const tokens = records.adapterOf('RefreshToken');
  const issue = (id: string) =>
    records.inRequest(async () => {
      records.useGrantKey(grantKey);
      await tokens.upsert(id, payload, 3_600);
    });
  /** A request with a refresh token. `meanwhile` happens before it stores the token that replaces it. */
  const rotate = (from: string, to: string, meanwhile = async () => {}) =>
    records.inRequest(async () => {
      const found = await tokens.find(from);
      if (!found || found['consumed']) return 'refused';
      await tokens.consume(from);
      await meanwhile();
      await tokens.upsert(to, payload, 3_600);
      return 'rotated';
    });
  const isConsumed = (id: string) =>
    records.inRequest(async () => (await tokens.find(id))?.['consumed'] === true);
  const hasEnded = async () => (await grants.read('grant')) === undefined;
  return { clock, memory, records, codes, tokens, issue, rotate, isConsumed, hasEnded };
}

describe('a code', () => {
  it('that two requests have found is consumed by one of them, and the other one ends the grant', async () => {
    const { records, codes, hasEnded } = await start();
    await records.inRequest(async () => {
      records.useGrantKey(grantKey);
      await codes.upsert('code', payload, 60);
    });
    expect(await codes.find('other')).toBeUndefined();
    await records.inRequest(async () => {
      expect(await codes.find('code')).toEqual(payload);
      await records.inRequest(() => codes.consume('code'));
      expect(await hasEnded()).toBe(false);
      await expect(codes.consume('code')).rejects.toThrow('invalid_grant');
    });
    expect(await hasEnded()).toBe(true);
  });
});

describe('a refresh token', () => {
  it('is consumed when the one that replaces it is used', async () => {
    const { issue, rotate, isConsumed } = await start();
    await issue('0');
    expect(await rotate('0', '1')).toBe('rotated');
    expect(await isConsumed('0')).toBe(false);
    expect(await rotate('1', '2')).toBe('rotated');
    expect(await isConsumed('0')).toBe(true);
    expect(await isConsumed('1')).toBe(false);
  });

  it('that is replaced twice at the same time is replaced by both', async () => {
    const { issue, rotate, isConsumed } = await start();
    await issue('0');
    await rotate('0', '1 of a', async () => void (await rotate('0', '1 of b')));
    expect(await rotate('1 of a', '2 of a')).toBe('rotated');
    expect(await isConsumed('1 of b')).toBe(false);
    expect(await isConsumed('0')).toBe(true);
  });

  it('that is replaced again ten seconds later is replaced by the last one only', async () => {
    const { clock, issue, rotate, isConsumed } = await start();
    await issue('0');
    await rotate('0', '1 of a');
    await rotate('0', '1 of b');
    clock.advance(10_000);
    await rotate('0', '1 of c');
    await rotate('0', '1 of d');
    const tokens = ['1 of a', '1 of b', '1 of c', '1 of d'];
    expect(await Promise.all(tokens.map(isConsumed))).toEqual([true, true, false, false]);
  });

  it('that is replaced again while the one that replaced it is used ends the grant', async () => {
    const { issue, rotate, hasEnded } = await start();
    await issue('0');
    await rotate('0', '1 of a');
    const late = rotate('0', '1 of b', async () => void (await rotate('1 of a', '2 of a')));
    await expect(late).rejects.toThrow('invalid_grant');
    expect(await hasEnded()).toBe(true);
  });

  it('that was consumed is forgotten after a week', async () => {
    const { clock, memory, records, tokens, issue, rotate } = await start();
    await records.inRequest(async () => {
      records.useGrantKey(grantKey);
      await tokens.upsert('0', payload, (60 * DAY) / 1_000);
    });
    await rotate('0', '1');
    await rotate('1', '2');
    clock.advance(7 * DAY);
    expect(await rotate('0', '1')).toBe('refused');
    for (const name of memory.records.keys()) await records.expire(name);
    expect([...memory.records.keys()].filter((name) => name.startsWith('provider/'))).toEqual([]);
    await issue('3');
  });
});

describe('a record', () => {
  it('whose time is not over, or that another version of the program has written, stays as it is', async () => {
    const { clock, memory, records, issue } = await start();
    await issue('one');
    memory.records.set('provider/Client/a', JSON.stringify({ expiresAt: clock.now() - 1, sealed: { v: 2 } }));
    const before = new Map(memory.records);
    for (const name of before.keys()) await records.expire(name);
    expect(new Map(memory.records)).toEqual(before);
  });

  it('opens with its own id only, and not in the place of another one', async () => {
    const { memory, records, issue } = await start();
    await issue('one');
    const names = [...memory.records.keys()].filter((name) => name.startsWith('provider/'));
    await issue('two');
    const [two = ''] = [...memory.records.keys()].filter(
      (name) => name.startsWith('provider/') && !names.includes(name),
    );
    memory.records.set(two, memory.records.get(names[0] ?? '') ?? '');
    expect((await records.find('RefreshToken', 'one'))?.grantKey).toEqual(grantKey);
    await expect(records.find('RefreshToken', 'two')).rejects.toThrow();
    expect(await records.find('AccessToken', 'one')).toBeUndefined();
  });

  it('is taken once', async () => {
    const { records } = await start();
    await records.inRequest(() => records.write('SignIn', 'secret', { uid: 'uid' }, 1_000));
    const taken = await Promise.all([records.take('SignIn', 'secret'), records.take('SignIn', 'secret')]);
    expect(taken.filter((each) => each !== undefined)).toEqual([{ uid: 'uid' }]);
  });

  it('gives the key of its grant to no other request', async () => {
    const { memory, records, tokens, issue } = await start();
    await issue('one');
    await records.inRequest(() => tokens.find('one'));
    await records.inRequest(() => records.write('SignIn', 'secret', {}, 1_000));
    expect((await records.find('SignIn', 'secret'))?.grantKey).toBeUndefined();
    expect(JSON.stringify([...memory.records])).not.toContain(grantKey.toString('base64'));
    expect(() => records.useGrantKey(grantKey)).toThrow('not a request');
  });
});
