import { describe, expect, it } from 'vitest';
import { StoredTokens } from '../../src/auth/stored-tokens.ts';
import type { SignIn } from '../../src/auth/token-store.ts';
import { sweepExpired } from '../../src/hosting/expiries.ts';
import { Grants } from '../../src/hosting/grants.ts';
import { MemoryStore, SharedMemory } from '../../src/store/memory-store.ts';
import type { Change, StoredValue } from '../../src/store/shared-store.ts';
import { StoreError } from '../../src/store/store-error.ts';
import { ManualClock } from '../manual-clock.helper.ts';

const HOUR = 3_600_000;
const grantKey = new Uint8Array(32).fill(1);

function start() {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const memory = new SharedMemory();
  const process = () => {
    const store = new MemoryStore(clock, memory);
    const grants = new Grants(store, clock);
    const sweep = () => sweepExpired(store, clock, (name) => grants.expire(name));
    return { grants, sweep };
  };
  const signIn = {
    kind: 'authorization_code',
    id: 'sign-in',
    baseUrl: 'https://api.example/v1',
    appUrl: 'https://app.example',
    clientId: 'id',
    clientSecret: 'secret',
    scope: 'full',
    accessToken: 'access-1',
    refreshToken: 'refresh-1',
    grantedAt: clock.now(),
    expiresAt: clock.now() + 2 * HOUR,
  } as const satisfies SignIn;
  const create = async (grants: Grants, id: string, lifeMs = HOUR) =>
    grants.create(
      {
        id,
        personId: 'anna',
        clientId: `client of ${id}`,
        clientName: 'Assistant',
        redirectHost: 'assistant.example',
        scopes: ['budget:read'],
        createdAt: clock.now(),
        expiresAt: clock.now() + lifeMs,
        awayKey: Buffer.from(grantKey).toString('base64'),
      },
      grantKey,
      signIn,
    );
  return { clock, memory, process, create, signIn, ...process() };
}

/** Redis refuses what needs more memory then. */
class FullStore extends MemoryStore {
  override update<Result>(name: string, change: Change<unknown, Result>): Promise<Result> {
    return super.update(name, (stored, now) => {
      const changed = change(stored, now);
      if (changed.value !== undefined) throw new StoreError('full');
      return changed;
    });
  }
}

/** Begins to end the grant, in a process that is killed before it can tell the others. */
async function endAndDie(clock: ManualClock, memory: SharedMemory): Promise<void> {
  const store = new MemoryStore(clock, memory);
  await new Promise<void>((resolve) => {
    store.append = () => {
      resolve();
      return new Promise(() => {});
    };
    void new Grants(store, clock).end('one');
  });
}

describe('a grant', () => {
  it('keeps the tokens of the budgeting service, which are renewed in place', async () => {
    const { clock, grants, process, create, signIn } = start();
    await create(grants, 'one');
    const renewed: string[] = [];
    const tokensOf = (each: Grants) =>
      new StoredTokens({
        store: each.tokenStore('one', grantKey),
        profile: 'one',
        clock,
        lock: (_, work) => work(),
        refresh: async ({ refreshToken }) => {
          renewed.push(refreshToken);
          const now = clock.now();
          return {
            accessToken: 'access-2',
            refreshToken: 'refresh-2',
            grantedAt: now,
            expiresAt: now + 2 * HOUR,
          };
        },
      });
    expect(await tokensOf(grants).credential()).toMatchObject({ token: signIn.accessToken, scope: 'full' });
    clock.advance(2 * HOUR);
    expect(await tokensOf(grants).credential()).toMatchObject({ token: 'access-2' });
    expect(await tokensOf(process().grants).credential()).toMatchObject({ token: 'access-2' });
    expect(renewed).toEqual(['refresh-1']);
  });

  it('opens with its own key only, and not in the place of another one', async () => {
    const { memory, grants, create } = start();
    await create(grants, 'one');
    await create(grants, 'two');
    await expect(grants.tokenStore('one', new Uint8Array(32)).read('any')).rejects.toThrow();
    memory.records.set('upstream/two', memory.records.get('upstream/one') ?? '');
    await expect(grants.tokenStore('two', grantKey).read('any')).rejects.toThrow();
    expect(JSON.stringify([...memory.records])).not.toMatch(/access-1|refresh-1|secret/);
  });

  it('ends when its time is over, unless it got a later end', async () => {
    const { clock, grants, create } = start();
    await create(grants, 'one', HOUR);
    await create(grants, 'two', HOUR);
    await grants.keepUntil('two', clock.now() + 2 * HOUR);
    await grants.keepUntil('two', clock.now() + 1);
    clock.advance(HOUR);
    expect(await grants.read('one')).toBeUndefined();
    expect((await grants.ofPerson('anna')).map(({ id }) => id)).toEqual(['two']);
    clock.advance(HOUR);
    expect(await grants.ofPerson('anna')).toEqual([]);
  });

  it('is removed completely by the next process if one was killed while it ended it', async () => {
    const { clock, memory, process, grants, create } = start();
    await create(grants, 'one');
    await endAndDie(clock, memory);
    expect(JSON.stringify([...memory.records])).not.toContain('awayKey');
    expect(await grants.read('one')).toBeUndefined();
    await grants.keepUntil('one', clock.now() + HOUR);
    expect(await grants.read('one')).toBeUndefined();
    const next = process();
    const ended: string[] = [];
    next.grants.onEnded((id) => ended.push(id));
    expect(await next.grants.endAllOf('anna')).toEqual(['one']);
    expect(ended).toEqual(['one']);
    expect([...memory.records.keys()]).toEqual([]);
  });

  it('is removed completely when its time is over if a process was killed while it ended it', async () => {
    const { clock, memory, grants, create } = start();
    await create(grants, 'one');
    await endAndDie(clock, memory);
    clock.advance(HOUR);
    const ended: string[] = [];
    grants.onEnded((id) => ended.push(id));
    await grants.expire('grant/one');
    expect(ended).toEqual(['one']);
    expect([...memory.records.keys()]).toEqual([]);
  });

  it('ends in a store that is full, and is removed completely when the person ends all', async () => {
    const { clock, memory, grants, create } = start();
    await create(grants, 'one');
    const store = new FullStore(clock, memory);
    const full = new Grants(store, clock);
    await expect(full.end('one')).rejects.toThrow(StoreError);
    expect(await grants.read('one')).toBeUndefined();
    const ended: string[] = [];
    grants.onEnded((id) => ended.push(id));
    expect(await grants.endAllOf('anna')).toEqual(['one']);
    expect(ended).toEqual(['one']);
    expect([...memory.records.keys()]).toEqual([]);
  });

  it('cannot be kept any longer after it has ended', async () => {
    const { clock, grants, create } = start();
    await create(grants, 'one');
    await grants.end('one');
    await grants.keepUntil('one', clock.now() + HOUR);
    expect(await grants.read('one')).toBeUndefined();
  });

  it('tells every process once that it has ended', async () => {
    const { grants, process, create } = start();
    const other = process().grants;
    const [here, there]: [string[], string[]] = [[], []];
    grants.onEnded((id) => here.push(id));
    other.onEnded((id) => there.push(id));
    await create(grants, 'one');
    await grants.end('one');
    await grants.end('one');
    await Promise.all([other.noticeNews(), other.noticeNews(), grants.noticeNews()]);
    expect([here, there]).toEqual([['one'], ['one']]);
  });

  it('is ended completely by the next attempt if the store failed in the middle of the first one', async () => {
    const { grants, clock, memory, create } = start();
    class FailingStore extends MemoryStore {
      fails = false;

      override append(log: string, value: StoredValue): Promise<number> {
        return this.fails ? Promise.reject(new StoreError('not answering')) : super.append(log, value);
      }
    }
    const store = new FailingStore(clock, memory);
    const failing = new Grants(store, clock);
    const ended: string[] = [];
    grants.onEnded((id) => ended.push(id));
    await create(grants, 'one');
    store.fails = true;
    await expect(failing.end('one')).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(await grants.read('one')).toBeUndefined();
    store.fails = false;
    expect(await failing.endAllOf('anna')).toEqual(['one']);
    await grants.noticeNews();
    expect(ended).toEqual(['one']);
    expect([...memory.records.keys()].filter((name) => name.includes('one'))).toEqual([]);
  });

  it('tells every process once that the settings of its person have changed, and does not end', async () => {
    const { grants, process, create } = start();
    const other = process().grants;
    const changed: string[] = [];
    const ended: string[] = [];
    for (const [name, each] of [
      ['here', grants],
      ['there', other],
    ] as const) {
      each.onChanged((id) => changed.push(`${name} ${id}`));
      each.onEnded((id) => ended.push(id));
    }
    await create(grants, 'one');
    await create(grants, 'two');
    await grants.settingsChanged('anna');
    await grants.settingsChanged('bert');
    await Promise.all([other.noticeNews(), other.noticeNews()]);
    expect(changed.toSorted()).toEqual(['here one', 'here two', 'there one', 'there two']);
    expect(ended).toEqual([]);
    expect(await other.read('one')).toBeDefined();
  });

  it('is removed with everything that belongs to it some time after its end', async () => {
    const { clock, memory, grants, sweep, create } = start();
    await sweep();
    await create(grants, 'one', HOUR);
    await create(grants, 'two', HOUR);
    await grants.keepUntil('two', clock.now() + 5 * HOUR);
    clock.advance(3 * HOUR);
    await sweep();
    expect([...memory.records.keys()].filter((name) => name.endsWith('/one'))).toEqual([]);
    expect((await grants.ofPerson('anna')).map(({ id }) => id)).toEqual(['two']);
    clock.advance(3 * HOUR);
    await sweep();
    clock.advance(2 * HOUR);
    await grants.trimNews();
    expect([...memory.records.keys()].toSorted()).toEqual(['swept-hour']);
    expect([...memory.logs.keys()]).toEqual([]);
  });
});

describe('a person', () => {
  it('who is removed loses the grants too whose time is over but which are still stored', async () => {
    const { clock, memory, grants, create } = start();
    await create(grants, 'one', HOUR);
    await create(grants, 'two', 3 * HOUR);
    clock.advance(2 * HOUR);
    expect(await grants.endAllOf('anna')).toEqual(['one', 'two']);
    expect([...memory.records.keys()]).toEqual([]);
  });

  it('has at most 20 grants: the oldest one ends', async () => {
    const { grants, create } = start();
    for (let number = 1; number <= 22; number++) await create(grants, `grant ${number}`);
    const ids = (await grants.ofPerson('anna')).map(({ id }) => id);
    expect(ids.length).toBe(20);
    expect(ids).not.toContain('grant 2');
    expect(ids).toContain('grant 3');
  });
});
