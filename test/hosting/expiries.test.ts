import { describe, expect, it } from 'vitest';
import { noteExpiry, sweepExpired } from '../../src/hosting/expiries.ts';
import { MemoryStore, SharedMemory } from '../../src/store/memory-store.ts';
import { ManualClock } from '../manual-clock.helper.ts';

const HOUR = 3_600_000;

async function start() {
  const clock = new ManualClock('2026-11-21T12:30:00Z');
  const memory = new SharedMemory();
  const process = () => new MemoryStore(clock, memory);
  const store = process();
  await sweepExpired(store, clock, async () => {});
  const swept = async (each = store) => {
    const names: string[] = [];
    await sweepExpired(each, clock, async (name) => void names.push(name));
    return names;
  };
  return { clock, memory, store, process, swept };
}

describe('a sweep', () => {
  it('names what has ended in the hours that have passed, once', async () => {
    const { clock, store, swept } = await start();
    await noteExpiry(store, 'soon', clock.now() + 1);
    await noteExpiry(store, 'later', clock.now() + HOUR);
    await noteExpiry(store, 'much later', clock.now() + 100 * HOUR);
    expect(await swept()).toEqual([]);
    clock.advance(HOUR);
    expect(await swept()).toEqual(['soon']);
    clock.advance(HOUR);
    expect(await swept()).toEqual(['later']);
    clock.advance(200 * HOUR);
    expect(await swept()).toEqual(['much later']);
    expect(await swept()).toEqual([]);
  });

  it('goes on where another process has stopped, and leaves no log', async () => {
    const { clock, memory, store, process, swept } = await start();
    await noteExpiry(store, 'one', clock.now() + HOUR);
    await noteExpiry(store, 'two', clock.now() + 10 * HOUR);
    clock.advance(2 * HOUR);
    expect(await swept(process())).toEqual(['one']);
    clock.advance(1_000 * HOUR);
    expect(await swept(process())).toEqual(['two']);
    expect([...memory.logs.keys()]).toEqual([]);
  });

  it('of two processes at the same time happens once', async () => {
    const { clock, store, process, swept } = await start();
    await noteExpiry(store, 'one', clock.now());
    clock.advance(HOUR);
    const names = await Promise.all([swept(process()), swept(process())]);
    expect(names.flat()).toEqual(['one']);
  });

  it('is repeated for an hour in which something failed', async () => {
    const { clock, store, swept } = await start();
    await noteExpiry(store, 'one', clock.now());
    clock.advance(HOUR);
    await expect(sweepExpired(store, clock, () => Promise.reject(new Error('disk full')))).rejects.toThrow(
      'disk full',
    );
    expect(await swept()).toEqual(['one']);
  });
});
