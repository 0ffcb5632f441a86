/** When the write of a process that has ended is looked for, and what each end of the search says. */
import { describe, expect, test } from 'vitest';
import { SharedMemory } from '../../src/store/memory-store.ts';
import { StoreError } from '../../src/store/store-error.ts';
import { DROPPED, type Fault, NO_FAULT } from '../faulty-proxy.helper.ts';
import { killedWhileSending, logTwo, untilKilled } from './killed-writes.helper.ts';
import { failureOf } from './sending.helper.ts';
import { type Process, type Sharing, startSharing } from './sharing-processes.helper.ts';

const HOUR = 3_600_000;
const FAILING: readonly Fault[] = Array(99).fill({ deliveries: 0, answer: '503' });

/** The processes after one that was killed. */
function successorsOf(sharing: Sharing, memory: SharedMemory) {
  const next = (options: Parameters<Sharing['startProcess']>[1] = {}) =>
    sharing.startProcess(memory, options);
  const open = ({ client }: Process) => sharing.passing(client.begin().resolveBudget(undefined));
  const openNext = async (...options: Parameters<typeof next>) => {
    const process = next(...options);
    await open(process);
    return process;
  };
  return { next, open, openNext };
}

/** A process was killed while it sent a write, an hour after the machine had started. */
async function startLeft({ fault = DROPPED, isEqualThere = false } = {}) {
  const sharing = await startSharing();
  const { passing, pass, faults } = sharing;
  const memory = new SharedMemory();
  const addEntry = () => sharing.enterCoffee(-4_500);
  await pass(HOUR);
  if (isEqualThere) await addEntry();
  faults.writes.push(fault);
  await killedWhileSending(sharing, memory, -4_500);
  const callAgain = ({ start }: Process) => passing(start(-4_500));
  return { ...sharing, ...successorsOf(sharing, memory), memory, addEntry, callAgain };
}

/** A process was killed during a call of two writes. `faults` are those of what it has sent, and it was killed during the last. */
async function startLeftOfTwo(...faults: readonly Fault[]) {
  const sharing = await startSharing();
  const { coffee, onWrite, passing } = sharing;
  const memory = new SharedMemory();
  const first = sharing.startProcess(memory);
  sharing.faults.writes.push(...faults);
  onWrite.push(...faults.slice(1).map(() => () => {}), () => first.life.kill());
  await untilKilled(sharing, first, logTwo(first, coffee, -4_500));
  const callAgain = (process: Process) => passing(logTwo(process, coffee, -4_500));
  return { ...sharing, ...successorsOf(sharing, memory), memory, callAgain };
}

describe('the search for a write that an ended process left', () => {
  test('it ends a minute after the write, and then nothing is in the journal', async () => {
    const { openNext, pass } = await startLeft();
    const process = await openNext();
    await pass(59_000);
    expect(await process.states()).toEqual(['being_looked_for']);
    await pass(1_000);
    expect(await process.states()).toEqual(['not_written']);
    expect(await process.journal()).toEqual([]);
  });

  test('it finds within five seconds what arrives late', async () => {
    const { openNext, pass, addEntry } = await startLeft();
    const process = await openNext();
    await pass(2_000);
    await addEntry();
    await pass(3_000);
    expect(await process.states()).toEqual(['written']);
  });

  test('it finds forty seconds after the write what arrives after the first looks', async () => {
    const { openNext, pass, addEntry } = await startLeft();
    const process = await openNext();
    await pass(20_000);
    await addEntry();
    await pass(19_000);
    expect(await process.states()).toEqual(['being_looked_for']);
    await pass(1_000);
    expect(await process.states()).toEqual(['written']);
  });

  test('it does not find an equal entry of a person from before the write', async () => {
    const { openNext, pass, coffees } = await startLeft({ isEqualThere: true });
    const process = await openNext();
    await pass(60_000);
    expect(await process.states()).toEqual(['not_written']);
    expect(coffees(-4_500)).toHaveLength(1);
  });

  test('if the process that has taken it over does not go on, another one ends it five seconds later', async () => {
    const { openNext, next, pass, requests } = await startLeft();
    const suspended = next();
    suspended.life.suspendAt('before lock write');
    await suspended.client.begin().resolveBudget(undefined);
    const other = await openNext();
    await pass(60_000);
    const before = requests();
    expect(await other.states()).toEqual(['being_looked_for']);
    expect(requests()).toBe(before);
    await pass(5_001);
    await other.states();
    await pass(1_000);
    expect(await other.states()).toEqual(['not_written']);
  });

  test('it begins again with the next call if its turn could not be taken', async () => {
    const { next, open, pass } = await startLeft({ fault: NO_FAULT });
    const process = next();
    const { lock } = process.store;
    Object.assign(process.store, { lock: () => Promise.reject(new StoreError('full')) });
    await open(process);
    expect(await process.states()).toEqual(['being_looked_for']);
    Object.assign(process.store, { lock });
    await process.states();
    await pass(1_000);
    expect(await process.states()).toEqual(['written']);
  });

  test('what it finds is in the next answer, although the cached budget is young', async () => {
    const { openNext, pass, balanceIn, passing, addEntry } = await startLeft();
    const process = await openNext({ cacheBytes: 2 ** 26 });
    await pass(2_000);
    const { balance } = await passing(balanceIn(process));
    await addEntry();
    await pass(3_000);
    expect(await process.states()).toEqual(['written']);
    expect((await passing(balanceIn(process))).balance).toBe(balance - 4_500);
  });

  test('after it found nothing, the next answer is asked for at the service, although the cached budget is young', async () => {
    const { openNext, pass, balanceIn, passing, requests } = await startLeft();
    const process = await openNext({ cacheBytes: 2 ** 26 });
    await pass(58_000);
    await passing(balanceIn(process));
    const before = requests();
    await passing(balanceIn(process));
    expect(requests()).toBe(before);
    await pass(2_000);
    expect(await process.states()).toEqual(['not_written']);
    const asked = requests();
    await passing(balanceIn(process));
    expect(requests()).toBe(asked + 1);
  });
});

describe('a write of which nothing could be found out', () => {
  test('is unknown, and an equal call looks for it again and is sent if it is not there', async () => {
    const { openNext, pass, faults, callAgain, sent } = await startLeft();
    const process = await openNext();
    await pass(50_000);
    faults.reads.push(...FAILING);
    await pass(15_000);
    expect(await process.states()).toEqual(['unknown']);
    expect((await failureOf(callAgain(process))).code).toBe('outcome_unknown');
    expect(sent()).toBe(1);
    faults.reads.length = 0;
    await callAgain(process);
    expect(sent()).toBe(2);
  });

  test('is not sent again after five minutes, when a person may have deleted it, but can still be found', async () => {
    const { openNext, pass, faults, callAgain, addEntry, sent } = await startLeft();
    const process = await openNext();
    await pass(50_000);
    faults.reads.push(...FAILING);
    await pass(15_000);
    faults.reads.length = 0;
    await pass(5 * 60_000);
    const failure = await failureOf(callAgain(process));
    expect(failure.code).toBe('outcome_unknown');
    expect(failure.message).toContain(
      'either it was not written, or somebody has changed or deleted it since',
    );
    await addEntry();
    expect((await callAgain(process)).earlier_call).toBeDefined();
    expect(sent()).toBe(1);
  });

  test.each([
    ['an operation', '"operation":"create_transactions"', '"operation":"another"'],
    ['an input', '"input":{"transactions":[{"account_id"', '"input":{"transactions":[{"account"'],
  ])(
    'is unknown at once if another version of this server wrote it with %s that this one does not know',
    async (_, known, other) => {
      const { openNext, pass, memory, callAgain, sent } = await startLeft();
      const stored = JSON.stringify(memory.records.get('pending writes'));
      const step = stored.indexOf('"step"');
      const changed = stored.slice(0, step) + stored.slice(step).replace(known, other);
      expect(changed).not.toBe(stored);
      memory.records.set('pending writes', JSON.parse(changed));
      const process = await openNext();
      await pass(1_000);
      expect(await process.states()).toEqual(['unknown']);
      const failure = await failureOf(callAgain(process));
      expect(failure.code).toBe('outcome_unknown');
      expect(failure.message).toContain('This version does not know such a write.');
      expect(sent()).toBe(1);
    },
  );
});

describe('a call of several writes', () => {
  test('was not written if nothing was found of the first one, and says so', async () => {
    const { openNext, pass } = await startLeftOfTwo(DROPPED);
    const next = await openNext();
    await pass(60_000);
    expect(await next.states()).toEqual(['not_written']);
  });

  test('was partly written if the first one is found', async () => {
    const { openNext, pass, callAgain, sent } = await startLeftOfTwo(NO_FAULT);
    const next = await openNext();
    await pass(5_000);
    expect(await next.states()).toEqual(['partly_written']);
    const failure = await failureOf(callAgain(next));
    expect(failure.code).toBe('partly_written');
    expect(failure.message).toContain('What was carried out until then stands: list_writes shows it.');
    expect(sent()).toBe(1);
  });

  test('is not reported as not written after the first one, also if the journal is lost', async () => {
    const { openNext, pass, memory, coffees } = await startLeftOfTwo(NO_FAULT, DROPPED);
    memory.logs.delete('journal');
    const next = await openNext();
    await pass(60_000);
    expect(await next.states()).toEqual(['partly_written']);
    expect(coffees(-4_500)).toHaveLength(1);
  });

  test('is unknown if the service could not be read at the end of the search, and an equal call says why', async () => {
    const { openNext, pass, faults, callAgain, sent } = await startLeftOfTwo(DROPPED);
    const next = await openNext();
    await pass(50_000);
    faults.reads.push(...FAILING);
    await pass(15_000);
    const failure = await failureOf(callAgain(next));
    expect(failure.code).toBe('outcome_unknown');
    expect(failure.message).toContain('it could not be found out whether it was written');
    expect(sent()).toBe(1);
  });
});
