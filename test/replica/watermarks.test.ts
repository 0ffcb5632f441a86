/** What is known of how far the service has come with a budget, and which of our writes an answer may lack. */
import { describe, expect, it } from 'vitest';
import { BudgetReplica } from '../../src/replica/budget-replica.ts';
import { LAG_MS, Watermarks } from '../../src/replica/watermarks.ts';
import { ManualClock } from '../manual-clock.ts';
import { START, smallLedger } from '../service/ledger/random-changes.ts';
import { asked } from './asked.ts';

function start() {
  const clock = new ManualClock(START);
  const marks = new Watermarks(clock);
  const isLower = (knowledge: number, mark = marks.mark('b')) => marks.isLower('b', knowledge, mark);
  return { clock, marks, isLower };
}

/** Evidence by what an answer shows, as a write gives whose answer tells no knowledge. */
const evidence = (id: string, isShown: boolean) => ({ id, shows: () => isShown });

describe('An answer', () => {
  it('is lower than what was known when it was asked for only if its knowledge is', () => {
    const { marks, isLower } = start();
    marks.seen('b', 9);
    expect([8, 9, 10].map((knowledge) => isLower(knowledge))).toEqual([true, false, false]);
  });

  it('of one budget tells nothing of another one', () => {
    const { marks, isLower } = start();
    marks.seen('another', 9);
    expect(isLower(1)).toBe(false);
  });

  it('is not measured by what came to be known after it was asked for', () => {
    const { marks, isLower } = start();
    marks.seen('b', 5);
    const mark = marks.mark('b');
    marks.seen('b', 9);
    expect([isLower(7, mark), isLower(4, mark)]).toEqual([false, true]);
  });

  it('is not measured by what was known before the service was set back', () => {
    const { marks, isLower } = start();
    marks.seen('b', 9);
    const mark = marks.mark('b');
    marks.written('b', { knowledge: 3 }, mark);
    expect([isLower(4, mark), isLower(2, mark)]).toEqual([false, true]);
  });
});

describe('Lower knowledge', () => {
  it('counts once nothing higher has come for as long as a copy of the service may lag', () => {
    const { clock, marks, isLower } = start();
    marks.seen('b', 9);
    expect(isLower(5)).toBe(true);
    clock.advance(LAG_MS - 1);
    expect(isLower(5)).toBe(true);
    clock.advance(1);
    expect(isLower(5)).toBe(false);
    expect(marks.mark('b').knowledge).toBe(5);
  });

  it('does not count where an answer as high as any before has come in between', () => {
    for (const tell of ['seen', 'isLower'] as const) {
      const { clock, marks, isLower } = start();
      marks.seen('b', 9);
      isLower(5);
      clock.advance(LAG_MS / 2);
      if (tell === 'seen') marks.seen('b', 9);
      else isLower(9);
      clock.advance(LAG_MS / 2);
      expect(isLower(5)).toBe(true);
    }
  });

  it('counts although an answer came in between that was asked for before anything higher was known', () => {
    const { clock, marks, isLower } = start();
    marks.seen('b', 4);
    const early = marks.mark('b');
    marks.seen('b', 9);
    isLower(5);
    clock.advance(LAG_MS / 2);
    isLower(5, early);
    clock.advance(LAG_MS / 2);
    expect(isLower(5)).toBe(false);
  });
});

describe('What a write tells', () => {
  const known = (knowledge: number, isMarked: boolean) => {
    const { marks } = start();
    marks.seen('b', 5);
    const before = marks.mark('b');
    marks.seen('b', 9);
    marks.written('b', { knowledge }, isMarked ? before : undefined);
    return marks.mark('b').knowledge;
  };

  it('means that the service was set back where it is lower than what was known before the write', () => {
    expect(known(4, true)).toBe(4);
  });

  it('means nothing of the kind where only a later answer was higher, or what was known before is not', () => {
    expect([known(5, true), known(7, true), known(4, false)]).toEqual([9, 9, 9]);
  });

  it('is the newest knowledge where it is the highest', () => {
    expect(known(12, true)).toBe(12);
  });
});

describe('An answer shows our writes', () => {
  async function replicaOf() {
    return BudgetReplica.load(await asked(smallLedger()).export(), '2026-01-20');
  }

  it('where it shows each of them', async () => {
    const { marks } = start();
    const replica = await replicaOf();
    marks.written('b', evidence('one', false));
    marks.written('b', evidence('other', true));
    expect(marks.showsWrites('b', replica, marks.mark('b'))).toBe(false);
    marks.written('b', evidence('one', true));
    expect(marks.showsWrites('b', replica, marks.mark('b'))).toBe(true);
  });

  it('where it lacks only those that were known to be shown, or that came after it was asked for', async () => {
    const { marks } = start();
    const replica = await replicaOf();
    const early = marks.mark('b');
    marks.written('b', evidence('one', false));
    marks.written('b', evidence('other', true));
    expect(marks.showsWrites('b', replica, marks.mark('b'), 1)).toBe(true);
    expect(marks.showsWrites('b', replica, early)).toBe(true);
    marks.written('b', evidence('third', false));
    expect(marks.showsWrites('b', replica, marks.mark('b'), 1)).toBe(false);
  });

  it('where those that it lacks are too long ago for any copy to lack them', async () => {
    const { clock, marks } = start();
    const replica = await replicaOf();
    marks.written('b', evidence('one', false));
    clock.advance(LAG_MS - 1);
    expect(marks.showsWrites('b', replica, marks.mark('b'))).toBe(false);
    clock.advance(1);
    expect(marks.showsWrites('b', replica, marks.mark('b'))).toBe(true);
  });
});

describe('The count of writes that every copy shows', () => {
  it('leaves out those of the last twenty seconds, and those after the mark', () => {
    const { clock, marks } = start();
    clock.advance(LAG_MS);
    const early = marks.mark('b');
    marks.written('b', evidence('one', true));
    clock.advance(LAG_MS / 2);
    marks.written('b', { knowledge: 7 });
    expect(marks.settledWrites('b', marks.mark('b'))).toBe(0);
    expect(marks.settledWrites('b', early)).toBe(0);
    clock.advance(LAG_MS / 2);
    expect(marks.settledWrites('b', marks.mark('b'))).toBe(1);
    clock.advance(LAG_MS / 2);
    expect(marks.settledWrites('b', marks.mark('b'))).toBe(2);
  });
});

describe('An answer may lack a write of ours', () => {
  it('where it tells no knowledge and the write is not long ago', () => {
    const { clock, marks } = start();
    const early = marks.mark('b');
    expect(marks.mayLackWrite('b', early)).toBe(false);
    marks.written('b', { knowledge: 7 });
    expect([marks.mayLackWrite('b', marks.mark('b')), marks.mayLackWrite('b', early)]).toEqual([true, false]);
    clock.advance(LAG_MS);
    expect(marks.mayLackWrite('b', marks.mark('b'))).toBe(false);
  });

  it.each([
    ['told its knowledge', { knowledge: 7 }, false],
    ['told none', evidence('one', true), true],
    ['was perhaps not carried out', undefined, true],
  ])('although it tells its knowledge, where the write %s: %o', (_, told, mayLack) => {
    const { marks } = start();
    marks.written('b', { knowledge: 6 });
    marks.written('b', told);
    expect(marks.mayLackWrite('b', marks.mark('b'), 9)).toBe(mayLack);
  });
});

describe('Of the writes to a budget', () => {
  it('the time of the last one is known, by the wall clock', () => {
    const { clock, marks } = start();
    expect(marks.lastWriteAt('b')).toBeUndefined();
    for (const id of ['one', 'other']) {
      clock.advance(1_000);
      marks.written('b', evidence(id, true));
    }
    expect(marks.lastWriteAt('b')).toBe(START + 2_000);
  });

  it('each lets one read draw on the reserve', () => {
    const { marks } = start();
    expect(marks.takeReserve('b')).toBe(false);
    marks.written('b');
    expect([marks.takeReserve('b'), marks.takeReserve('b')]).toEqual([true, false]);
    marks.written('b');
    expect(marks.takeReserve('b')).toBe(true);
  });
});
