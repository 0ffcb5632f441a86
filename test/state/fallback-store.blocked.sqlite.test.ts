import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { yieldTurn } from '../../src/platform/clock.ts';
import type { SharedStore } from '../../src/state/shared-store.ts';
import { changeAfterWait, startProcesses, startWriting, untilFree } from './blocked-processes.helper.ts';
import { valuesOf } from './shared-store-contract.helper.ts';
import { openDatabase, openStore, sqlite } from './sqlite.helper.ts';

const add = (store: SharedStore, number: number) =>
  store.update('sum', (sum) => ({ value: Number(sum ?? 0) + number, result: undefined }));

async function startTwo() {
  const { processes, ...rest } = await startProcesses(2);
  const [one, other] = processes;
  if (!one || !other) throw new Error('Two processes are needed.');
  return { one, other, ...rest };
}

describe.skipIf(!sqlite)('a store that another process blocks', () => {
  it('lets each process go on with what it knows, and wait only once', async () => {
    const { clock, path, one, other, events } = await startTwo();
    await add(one, 1);
    await one.append('log', 'before');
    const end = startWriting(path);
    await changeAfterWait(clock, () => add(one, 10));
    await add(one, 100);
    await one.append('log', 'meanwhile');
    expect(await one.read('sum')).toBe(111);
    expect(await valuesOf(one, 'log')).toEqual(['before', 'meanwhile']);
    expect([one.isBlocked, other.isBlocked]).toEqual([true, false]);
    expect([await other.read('sum'), await valuesOf(other, 'log')]).toEqual([1, ['before']]);
    expect(events).toEqual(['blocked']);
    end();
  });

  it('can be opened, and has what was written before', async () => {
    const { clock, path, one } = await startTwo();
    await add(one, 1);
    const end = startWriting(path);
    const late = await openStore(path, clock);
    expect([late.isBlocked, await late.read('sum')]).toEqual([true, 1]);
    end();
    expect(late.isBlocked).toBe(false);
  });

  it('has the changes of all processes when it is free again', async () => {
    const { clock, path, one, other, events } = await startTwo();
    await add(one, 1);
    const end = startWriting(path);
    await changeAfterWait(clock, () => add(one, 10));
    await changeAfterWait(clock, () => add(other, 100));
    await add(one, 1_000);
    await one.append('log', 'of one');
    await other.append('log', 'of the other');
    end();
    await untilFree(clock, [one, other]);
    for (const store of [one, other]) {
      expect(await store.read('sum')).toBe(1_111);
      expect((await valuesOf(store, 'log')).toSorted()).toEqual(['of one', 'of the other']);
    }
    await add(other, 10_000);
    expect(await one.read('sum')).toBe(11_111);
    expect(events).toEqual(['blocked', 'blocked', 'free', 'free']);
  });

  it('loses nothing that changes while the waiting changes are made', async () => {
    const { clock, path, one, other } = await startTwo();
    const end = startWriting(path);
    await changeAfterWait(clock, () => add(one, 1));
    for (let i = 0; i < 20; i += 1) await add(one, 1);
    end();
    clock.advance(1_000);
    for (let i = 0; i < 10; i += 1) {
      expect(one.isBlocked).toBe(true);
      await Promise.all([add(one, 1), add(other, 1)]);
      await yieldTurn();
    }
    await untilFree(clock, [one]);
    expect([await one.read('sum'), await other.read('sum')]).toEqual([41, 41]);
  });

  it('shows all entries of others to a process that has read a log meanwhile and goes on from there', async () => {
    const { clock, path, one, other } = await startTwo();
    await one.append('log', 'before');
    const end = startWriting(path);
    await changeAfterWait(clock, () => one.append('log', 'of one'));
    await one.append('log', 'of one too');
    let last = 0;
    for await (const { number } of one.entries('log')) last = number;
    end();
    await other.append('log', 'of the other');
    await untilFree(clock, [one]);
    expect(await valuesOf(one, 'log', last)).toContain('of the other');
  });

  it('removes a record and a log also when that was changed meanwhile', async () => {
    const { clock, path, one, other } = await startTwo();
    await add(one, 1);
    await one.append('log', 'entry');
    const end = startWriting(path);
    await changeAfterWait(clock, () => one.update('sum', () => ({ value: undefined, result: undefined })));
    await one.trim('log');
    expect(await one.read('sum')).toBeUndefined();
    end();
    await untilFree(clock, [one]);
    expect(await other.read('sum')).toBeUndefined();
    expect(await valuesOf(other, 'log')).toEqual([]);
  });

  it('still gives a lock to one process only, and knows which processes run', async () => {
    const { clock, path, one, other } = await startTwo();
    const end = startWriting(path);
    await changeAfterWait(clock, () => add(one, 1));
    const release = await one.lock('write', { waitMs: 0 });
    expect(await other.lock('write', { waitMs: 0 })).toBeUndefined();
    end();
    await untilFree(clock, [one]);
    expect(await other.lock('write', { waitMs: 0 })).toBeUndefined();
    await release?.();
    expect(await other.lock('write', { waitMs: 0 })).toBeDefined();
    expect(await one.isRunning(other.processId)).toBe(true);
  });

  it('leaves out a change that refuses the value which the record has when it is free', async () => {
    const { clock, path, one, other } = await startTwo();
    const end = startWriting(path);
    const claim = (store: SharedStore) =>
      store.update('owner', (owner) => {
        if (owner !== undefined) throw new Error('It has an owner.');
        return { value: store.processId, result: undefined };
      });
    await changeAfterWait(clock, () => claim(one));
    await changeAfterWait(clock, () => claim(other));
    await add(other, 1);
    end();
    await untilFree(clock, [one, other]);
    expect([one.processId, other.processId]).toContain(await one.read('owner'));
    expect(await other.read('owner')).toBe(await one.read('owner'));
    expect(await one.read('sum')).toBe(1);
  });

  it('gets the changes of a process that ends when it is free, and not while it is blocked', async () => {
    const { clock, path, one, other } = await startTwo();
    const end = startWriting(path);
    await changeAfterWait(clock, () => add(one, 1));
    end();
    await one.close();
    expect(await other.read('sum')).toBe(1);
  });

  it('stays in memory if it is removed meanwhile, with what was changed', async () => {
    const { clock, path, one, events } = await startTwo();
    const end = startWriting(path);
    await changeAfterWait(clock, () => add(one, 1));
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
    end();
    await untilFree(clock, [one]);
    expect([await one.read('sum'), one.isShared]).toEqual([1, false]);
    expect(events).toEqual(['blocked', 'removed or replaced']);
  });

  it('is blocked by a process that is suspended in the middle of a write, until that goes on', async () => {
    const { clock, path, one, other } = await startTwo();
    const writer = spawn(process.execPath, ['--import', 'tsx', WRITER, path], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => {
      writer.kill('SIGKILL');
    });
    await once(writer.stdout, 'data');
    writer.kill('SIGSTOP');
    await changeAfterWait(clock, () => add(one, 1));
    expect([one.isBlocked, await one.read('sum'), await other.read('sum')]).toEqual([true, 1, undefined]);
    writer.kill('SIGCONT');
    writer.stdin.end();
    await once(writer, 'exit');
    await untilFree(clock, [one]);
    expect(await other.read('sum')).toBe(1);
    // The change of the suspended process is there too.
    expect(openDatabase(path).prepare('SELECT count(*) AS count FROM entries').get()).toEqual({ count: 1 });
  });
});

const WRITER = fileURLToPath(new URL('./write-slowly.helper.ts', import.meta.url));
