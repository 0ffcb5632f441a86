import { describe, expect, it } from 'vitest';
import {
  MAX_UPLOAD_BYTES,
  type TakeRoom,
  UploadedStatements,
} from '../../src/session/uploaded-statements.ts';
import { MemoryStore, SharedMemory } from '../../src/store/memory-store.ts';
import { ManualClock } from '../manual-clock.helper.ts';

const HOUR_MS = 3_600_000;

function start() {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const memory = new SharedMemory();
  /** Another process of the same sign-in. */
  const process = (takeRoom?: TakeRoom) =>
    new UploadedStatements(new MemoryStore(clock, memory), clock, takeRoom);
  const store = new MemoryStore(clock, memory);
  const ofCaller = (caller = 'ann', uploads = new UploadedStatements(store, clock)) => {
    const files = uploads.of(caller, async () => []);
    const part = (text: string, at: number, size: number, id?: string, name = 'a.csv') =>
      files.add({ id, name, size, at, bytes: Buffer.from(text) });
    const texts = async () =>
      Promise.all(
        (await files.files()).map(async ({ name, read }) => [name, Buffer.from(await read()).toString()]),
      );
    return { ...files, part, texts };
  };
  const partsOf = async (id: string) => {
    const entries = [];
    for await (const entry of store.entries(`statement ${id}`)) entries.push(entry);
    return entries.length;
  };
  return { clock, store, process, ofCaller, partsOf };
}

describe('a file that is sent in parts', () => {
  it('is there when all of it has arrived, also for other processes, and not before', async () => {
    const { ofCaller, process } = start();
    const { part, texts } = ofCaller();
    const { id } = await part('one,', 0, 9);
    expect(await texts()).toEqual([]);
    await ofCaller('ann', process()).part('two', 4, 9, id);
    await part('.\n', 7, 9, id);
    expect(await texts()).toEqual([['a.csv', 'one,two.\n']]);
    expect(await ofCaller('ann', process()).texts()).toEqual([['a.csv', 'one,two.\n']]);
  });

  it('has each part once, however often it is sent', async () => {
    const { ofCaller } = start();
    const { part, texts } = ofCaller();
    const { id } = await part('one', 0, 6);
    await part('one', 0, 6, id);
    expect(await part('two', 3, 6, id)).toMatchObject({ received: 6 });
    expect(await part('two', 3, 6, id)).toMatchObject({ received: 6 });
    expect(await texts()).toEqual([['a.csv', 'onetwo']]);
  });

  it.each([
    ['after a gap', 4, 9],
    ['over what has arrived', 2, 9],
    ['beyond the end', 3, 9, 'seventeen'],
    ['of another size', 3, 10],
  ])('is refused with a part %s', async (_, at, size, text = 'two') => {
    const { ofCaller } = start();
    const { part, texts } = ofCaller();
    const { id } = await part('one', 0, 9);
    await expect(part(text, at, size, id)).rejects.toThrow('Choose the file again');
    expect(await texts()).toEqual([]);
  });

  it('is not mixed with another one that is sent at the same time under the same name', async () => {
    const { ofCaller } = start();
    const { part, texts } = ofCaller();
    const [one, other] = [await part('one', 0, 6), await part('two', 0, 6)];
    await Promise.all([part('ONE', 3, 6, one.id), part('TWO', 3, 6, other.id)]);
    expect(['oneONE', 'twoTWO']).toContain((await texts())[0]?.[1]);
    expect(await texts()).toHaveLength(1);
  });

  it('is of its caller: no other one can read it or add to it, with its id either', async () => {
    const { ofCaller } = start();
    const [ann, ben] = [ofCaller('ann'), ofCaller('ben')];
    const { id } = await ann.part('one', 0, 6);
    await expect(ben.part('two', 3, 6, id)).rejects.toThrow('Choose the file again');
    await ann.part('two', 3, 6, id);
    expect(await ben.texts()).toEqual([]);
    expect(await ann.texts()).toEqual([['a.csv', 'onetwo']]);
  });

  it('replaces an earlier one of the same name', async () => {
    const { ofCaller } = start();
    const { part, texts } = ofCaller();
    await part('old', 0, 3);
    await part('new', 0, 3);
    expect(await texts()).toEqual([['a.csv', 'new']]);
  });
});

it('a chosen file replaces a chosen one of its name, whether an accent is a character of its own or not, and hides none of the folder', async () => {
  const { store, clock } = start();
  const [one, other] = ['ä.csv'.normalize('NFC'), 'ä.csv'.normalize('NFD')];
  const inFolder = { name: other, version: async () => '', read: async () => Buffer.of() };
  const files = new UploadedStatements(store, clock).of('ann', async () => [inFolder]);
  for (const name of [other, one]) await files.add({ name, size: 1, at: 0, bytes: Buffer.of(1) });
  expect((await files.files()).map(({ name }) => name)).toEqual(['ä (2).csv'.normalize('NFC'), other]);
});

describe('what is kept', () => {
  it('is removed an hour after its first part, with what has not arrived as a whole', async () => {
    const { clock, ofCaller, partsOf } = start();
    const { part, texts, files } = ofCaller();
    const whole = await part('one', 0, 3);
    const half = await part('one', 0, 6, undefined, 'b.csv');
    const [file] = await files();
    clock.advance(HOUR_MS - 1);
    await part('two', 3, 9, (await part('one', 0, 9, undefined, 'c.csv')).id);
    expect(await texts()).toHaveLength(1);
    clock.advance(1);
    // Also if nothing uses them any more.
    expect([await partsOf(whole.id), await partsOf(half.id)]).toEqual([0, 0]);
    expect(await texts()).toEqual([]);
    await expect(part('two', 3, 6, half.id)).rejects.toThrow('Choose the file again');
    await expect(file?.read()).rejects.toThrow('not kept any more');
  });

  it('is four megabytes of a file and twelve of all, and the oldest make room', async () => {
    const { ofCaller } = start();
    const { part, texts } = ofCaller();
    await expect(part('', 0, MAX_UPLOAD_BYTES + 1)).rejects.toThrow('larger than 4 MB');
    const text = 'x'.repeat(MAX_UPLOAD_BYTES);
    for (const name of ['a', 'b', 'c', 'd']) await part(text, 0, text.length, undefined, name);
    expect((await texts()).map(([name]) => name)).toEqual(['b', 'c', 'd']);
  });

  it('is twenty files of a caller, of which the oldest make room, and those of others stay', async () => {
    const { ofCaller } = start();
    const [ann, ben] = [ofCaller('ann'), ofCaller('ben')];
    await ben.part('x', 0, 1);
    await ann.part('y', 0, 1);
    for (let index = 1; index <= 20; index += 1) await ann.part('x', 0, 9, undefined, `${index}`);
    expect([await ben.texts(), await ann.texts()]).toEqual([[['a.csv', 'x']], []]);
    await ann.part('', 0, 0, undefined, 'empty');
    expect(await ann.texts()).toEqual([['empty', '']]);
  });

  it('is what there is room for: the oldest make room, and a file that has none is refused', async () => {
    const { ofCaller, process } = start();
    const wanted: number[] = [];
    const { part, texts } = ofCaller(
      'ann',
      process(async ({ bytes }) => {
        wanted.push(bytes);
        return Math.min(bytes, 5);
      }),
    );
    for (const name of ['a', 'b', 'c']) await part('xx', 0, 2, undefined, name);
    expect((await texts()).map(([name]) => name)).toEqual(['b', 'c']);
    await expect(part('x', 0, 6, undefined, 'd')).rejects.toThrow('leave no room');
    expect([await texts(), wanted]).toMatchObject([{ length: 2 }, [2, 4, 6, 10]]);
  });

  it('has no empty part of a file that is not empty', async () => {
    const { part } = start().ofCaller();
    await expect(part('', 0, 3)).rejects.toThrow('A part of the file is empty');
  });

  it('is not taken for a file if a process ended while it removed it', async () => {
    const { store, ofCaller } = start();
    const { part, files } = ofCaller();
    const { id } = await part('one', 0, 3);
    await store.trim(`statement ${id}`);
    const [file] = await files();
    await expect(file?.read()).rejects.toThrow('Choose it again');
  });
});
