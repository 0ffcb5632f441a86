/** The highest known knowledge of a budget, and which writes of this process a response may lack. */
import { describe, expect, it } from 'vitest';
import { BudgetReplica } from '../../../src/model/replica/budget-replica.ts';
import { LAG_MS, Watermarks } from '../../../src/session/freshness/watermarks.ts';
import { ManualClock } from '../../manual-clock.helper.ts';
import { directReader } from '../../model/replica/service-reader.helper.ts';
import { START, smallLedger } from '../../service/ledger/random-changes.helper.ts';

function start() {
  const clock = new ManualClock(START);
  const marks = new Watermarks(clock);
  const isLower = (knowledge: number, mark = marks.mark('b')) => marks.isLower('b', knowledge, mark);
  return { clock, marks, isLower };
}

/** Evidence by content, for a write whose response has no knowledge. */
const evidence = (id: string, isShown: boolean) => ({ id, shows: () => isShown });

describe('knowledge of responses', () => {
  it('a response is lower only if its knowledge is lower than what was known at its request', () => {
    const { marks, isLower } = start();
    marks.recordKnowledge('b', 9);
    expect([8, 9, 10].map((knowledge) => isLower(knowledge))).toEqual([true, false, false]);
  });

  it('the knowledge of one budget is not compared with that of another', () => {
    const { marks, isLower } = start();
    marks.recordKnowledge('another', 9);
    expect(isLower(1)).toBe(false);
  });

  it('a response is not compared with knowledge that became known after its request', () => {
    const { marks, isLower } = start();
    marks.recordKnowledge('b', 5);
    const mark = marks.mark('b');
    marks.recordKnowledge('b', 9);
    expect([isLower(7, mark), isLower(4, mark)]).toEqual([false, true]);
  });

  it('a response is not compared with what was known before a reset of the service', () => {
    const { marks, isLower } = start();
    marks.recordKnowledge('b', 9);
    const mark = marks.mark('b');
    marks.recordWrite('b', { knowledge: 3 }, mark);
    expect([isLower(4, mark), isLower(2, mark)]).toEqual([false, true]);
  });
});

describe('lower knowledge', () => {
  it('lower knowledge is current after all responses were lower for as long as a copy can lag', () => {
    const { clock, marks, isLower } = start();
    marks.recordKnowledge('b', 9);
    expect(isLower(5)).toBe(true);
    clock.advance(LAG_MS - 1);
    expect(isLower(5)).toBe(true);
    clock.advance(1);
    expect(isLower(5)).toBe(false);
    expect(marks.mark('b').knowledge).toBe(5);
  });

  it('lower knowledge is not current when a response with the highest knowledge arrived in between', () => {
    for (const method of ['recordKnowledge', 'isLower'] as const) {
      const { clock, marks, isLower } = start();
      marks.recordKnowledge('b', 9);
      isLower(5);
      clock.advance(LAG_MS / 2);
      if (method === 'recordKnowledge') marks.recordKnowledge('b', 9);
      else isLower(9);
      clock.advance(LAG_MS / 2);
      expect(isLower(5)).toBe(true);
    }
  });

  it('lower knowledge is current although a response in between was requested before the highest knowledge was known', () => {
    const { clock, marks, isLower } = start();
    marks.recordKnowledge('b', 4);
    const early = marks.mark('b');
    marks.recordKnowledge('b', 9);
    isLower(5);
    clock.advance(LAG_MS / 2);
    isLower(5, early);
    clock.advance(LAG_MS / 2);
    expect(isLower(5)).toBe(false);
  });
});

describe('knowledge of writes', () => {
  const knowledgeAfter = (knowledge: number, isMarked: boolean) => {
    const { marks } = start();
    marks.recordKnowledge('b', 5);
    const before = marks.mark('b');
    marks.recordKnowledge('b', 9);
    marks.recordWrite('b', { knowledge }, isMarked ? before : undefined);
    return marks.mark('b').knowledge;
  };

  it('the knowledge of a write that is lower than what was known before it proves a reset', () => {
    expect(knowledgeAfter(4, true)).toBe(4);
  });

  it('the knowledge of a write proves no reset when only a later response was higher, or when its mark is absent', () => {
    expect([knowledgeAfter(5, true), knowledgeAfter(7, true), knowledgeAfter(4, false)]).toEqual([9, 9, 9]);
  });

  it('the knowledge of a write is the newest when it is the highest', () => {
    expect(knowledgeAfter(12, true)).toBe(12);
  });
});

describe('writes in a response', () => {
  async function createReplica() {
    return BudgetReplica.load(await directReader(smallLedger()).export(), '2026-01-20');
  }

  it('a response contains the writes when it contains each of them', async () => {
    const { marks } = start();
    const replica = await createReplica();
    marks.recordWrite('b', evidence('one', false));
    marks.recordWrite('b', evidence('other', true));
    expect(marks.showsWrites('b', replica, marks.mark('b'))).toBe(false);
    marks.recordWrite('b', evidence('one', true));
    expect(marks.showsWrites('b', replica, marks.mark('b'))).toBe(true);
  });

  it('a response may lack writes that are known to be contained, and writes after its request', async () => {
    const { marks } = start();
    const replica = await createReplica();
    const early = marks.mark('b');
    marks.recordWrite('b', evidence('one', false));
    marks.recordWrite('b', evidence('other', true));
    expect(marks.showsWrites('b', replica, marks.mark('b'), 1)).toBe(true);
    expect(marks.showsWrites('b', replica, early)).toBe(true);
    marks.recordWrite('b', evidence('third', false));
    expect(marks.showsWrites('b', replica, marks.mark('b'), 1)).toBe(false);
  });

  it('a response may lack writes that are older than a copy can lag', async () => {
    const { clock, marks } = start();
    const replica = await createReplica();
    marks.recordWrite('b', evidence('one', false));
    clock.advance(LAG_MS - 1);
    expect(marks.showsWrites('b', replica, marks.mark('b'))).toBe(false);
    clock.advance(1);
    expect(marks.showsWrites('b', replica, marks.mark('b'))).toBe(true);
  });
});

describe('settled writes', () => {
  it('the settled writes are those before the mark that are at least twenty seconds old', () => {
    const { clock, marks } = start();
    clock.advance(LAG_MS);
    const early = marks.mark('b');
    marks.recordWrite('b', evidence('one', true));
    clock.advance(LAG_MS / 2);
    marks.recordWrite('b', { knowledge: 7 });
    expect(marks.settledWrites('b', marks.mark('b'))).toBe(0);
    expect(marks.settledWrites('b', early)).toBe(0);
    clock.advance(LAG_MS / 2);
    expect(marks.settledWrites('b', marks.mark('b'))).toBe(1);
    clock.advance(LAG_MS / 2);
    expect(marks.settledWrites('b', marks.mark('b'))).toBe(2);
  });
});

describe('writes that a response may lack', () => {
  it('a response without knowledge may lack a recent write', () => {
    const { clock, marks } = start();
    const early = marks.mark('b');
    expect(marks.mayLackWrite('b', early)).toBe(false);
    marks.recordWrite('b', { knowledge: 7 });
    expect([marks.mayLackWrite('b', marks.mark('b')), marks.mayLackWrite('b', early)]).toEqual([true, false]);
    clock.advance(LAG_MS);
    expect(marks.mayLackWrite('b', marks.mark('b'))).toBe(false);
  });

  it.each([
    ['had knowledge', { knowledge: 7 }, false],
    ['had none', evidence('one', true), true],
    ['is unknown', undefined, true],
  ])('whether a response with knowledge may lack a write whose response %s: %o', (_, evidence, mayLack) => {
    const { marks } = start();
    marks.recordWrite('b', { knowledge: 6 });
    marks.recordWrite('b', evidence);
    expect(marks.mayLackWrite('b', marks.mark('b'), 9)).toBe(mayLack);
  });
});

describe('writes to a budget', () => {
  it('the time of the last write is known, by the wall clock', () => {
    const { clock, marks } = start();
    expect(marks.lastWriteAt('b')).toBeUndefined();
    for (const id of ['one', 'other']) {
      clock.advance(1_000);
      marks.recordWrite('b', evidence(id, true));
    }
    expect(marks.lastWriteAt('b')).toBe(START + 2_000);
  });

  it('each write allows one read from the reserve', () => {
    const { marks } = start();
    expect(marks.takeReserve('b')).toBe(false);
    marks.recordWrite('b');
    expect([marks.takeReserve('b'), marks.takeReserve('b')]).toEqual([true, false]);
    marks.recordWrite('b');
    expect(marks.takeReserve('b')).toBe(true);
  });
});

describe('writes of other processes', () => {
  it('a write of another process counts from the time at which it ended', () => {
    const { clock, marks } = start();
    clock.advance(60_000);
    marks.recordForeignWrite('b', { wall: START, monotonic: 45_000 });
    expect(marks.mayLackWrite('b', marks.mark('b'))).toBe(true);
    clock.advance(LAG_MS - 15_000 - 1);
    expect(marks.mayLackWrite('b', marks.mark('b'))).toBe(true);
    clock.advance(1);
    expect(marks.mayLackWrite('b', marks.mark('b'))).toBe(false);
    expect([marks.mark('b').writes, marks.settledWrites('b', marks.mark('b'))]).toEqual([1, 1]);
  });

  it('a write of another process that is learned after a later own one is settled with it', () => {
    const { clock, marks } = start();
    clock.advance(60_000);
    marks.recordWrite('b', { knowledge: 7 });
    marks.recordForeignWrite('b', { wall: START, monotonic: 30_000 });
    expect(marks.settledWrites('b', marks.mark('b'))).toBe(0);
    clock.advance(LAG_MS);
    expect(marks.settledWrites('b', marks.mark('b'))).toBe(2);
  });

  it('a time from before a restart of the machine counts as now', () => {
    const { clock, marks } = start();
    marks.recordForeignWrite('b', { wall: START, monotonic: 1_000_000 });
    clock.advance(LAG_MS);
    expect(marks.settledWrites('b', marks.mark('b'))).toBe(1);
  });

  it('the knowledge of a write of another process makes lower responses out of date', () => {
    const { marks, isLower } = start();
    marks.recordForeignWrite('b', { wall: START, monotonic: 0 }, { knowledge: 9 });
    expect([isLower(8), isLower(9)]).toEqual([true, false]);
  });

  it('only own writes let a read use the requests that are reserved for writes', () => {
    const { marks } = start();
    marks.recordForeignWrite('b', { wall: START, monotonic: 0 });
    expect(marks.takeReserve('b')).toBe(false);
    marks.recordWrite('b');
    marks.recordForeignWrite('b', { wall: START, monotonic: 0 });
    expect([marks.takeReserve('b'), marks.takeReserve('b')]).toEqual([true, false]);
  });
});
