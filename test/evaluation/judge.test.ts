import { describe, expect, it } from 'vitest';
import type { Change } from './changes.ts';
import { amountIn, judge, resultIn } from './judge.ts';
import type { Result } from './task.ts';

const judged = (result: Result, answer: string) =>
  judge({ results: [result], changes: [] }, { changes: [], answers: [answer] }, 1);

describe('the result of an answer', () => {
  it.each([
    ['You spent 12.30.\nResult: 12.30', '12.30'],
    ['Das waren 12.30.\n\n**Result: 12.30**\n', '12.30'],
    ['**Result:** Groceries; 3', 'Groceries; 3'],
    ['Result: 1\nNo, wait.\nresult: 2', '2'],
  ])('%j says %j', (answer, result) => {
    expect(resultIn(answer)).toBe(result);
  });

  it('an answer without such a line has none', () => {
    expect(resultIn('The result is 12.30.')).toBeUndefined();
  });
});

describe('an amount', () => {
  it.each([
    ['1234.56', 1234.56],
    ['1,234.56', 1234.56],
    ['1.234,56', 1234.56],
    ["1'234.56", 1234.56],
    ['1’234.56', 1234.56],
    ['1 234.56', 1234.56],
    ['1\u00a0234,56 €', 1234.56],
    ['12,345,678', 12_345_678],
    ['€ 12.30', 12.3],
    ['12,30 EUR', 12.3],
    ['-12.30', -12.3],
    ['−12.30', -12.3],
    ['-€12.30', -12.3],
    ['€ -12.30', -12.3],
    ['CHF 5', 5],
    ['CHF 5.', 5],
    ['Fr. 5.50', 5.5],
    ['"7"', 7],
    ['+20', 20],
    ['0.125', 0.125],
    ['12.5%', 12.5],
  ])('%j is read as %d', (text, amount) => {
    expect(amountIn(text)).toBe(amount);
  });

  it.each(['', '3 of them', '12.30 or 12.40', '1,2,3', '12.345.6', '2026-05-31', '5-7', 'Groceries'])(
    '%j is none',
    (text) => {
      expect(amountIn(text)).toBeUndefined();
    },
  );
});

describe('a right result', () => {
  it.each<[Result, string]>([
    [[12.3], 'Result: 12.30'],
    [[-1234.56, 3], 'Result: -1,234.56; 3'],
    [[0], 'Result: -0.00'],
    [['Café Zürich'], 'Result: "café zürich".'],
    [[['December 1', '2026-12-01']], 'Result: 2026-12-01'],
    [[['1234.50', '-1234.50']], 'Result: -1,234.50'],
    [['2026-05'], 'Result: 2026-05'],
    ['done', 'Result: Done.'],
    ['asked or refused', 'Result: question'],
    ['asked or refused', 'Result: impossible'],
    ['anything', 'I have no idea.'],
  ])('%j is given by %j', (result, answer) => {
    expect(judged(result, answer)).toEqual({ faults: [], isConfidentlyWrong: false });
  });
});

describe('a wrong result', () => {
  it.each<[Result, string]>([
    [[12.3], 'Result: 12.31'],
    [[12.3], 'Result: 12.29'],
    [[12.3], 'Result: -12.30'],
    [[12.3], 'Result: 12.30; 5'],
    [[12.3, 5], 'Result: 5; 12.30'],
    [[12.3, 5], 'Result: 12.30'],
    [['Groceries'], 'Result: Grocery'],
    [[['12.30', '-12.30']], 'Result: 12.31'],
    [['2026-05-31'], 'Result: 2026-05-30'],
    [['🎁 Gifts'], 'Result: 🎄 Gifts'],
    [['done'], 'Result: done; done'],
    ['done', 'Result: 12.30'],
    ['asked or refused', 'Result: done'],
    ['asked or refused', 'Result: 12.30'],
  ])('%j is not given by %j, which a person would rely on', (result, answer) => {
    const { faults, isConfidentlyWrong } = judged(result, answer);
    expect(faults).toHaveLength(1);
    expect(isConfidentlyWrong).toBe(true);
  });

  it.each<[Result, string]>([
    [[12.3], 'Result: question'],
    [[12.3], 'Result: impossible'],
    [[12.3], 'It was 12.30.'],
    [[12.3], ''],
    ['done', 'Result: question'],
    ['asked or refused', 'Which one?'],
  ])('%j is not given by %j, on which no one would rely', (result, answer) => {
    const { faults, isConfidentlyWrong } = judged(result, answer);
    expect(faults).toHaveLength(1);
    expect(isConfidentlyWrong).toBe(false);
  });
});

describe('several turns', () => {
  const answers = ['Result: 1', 'Result: 2'];

  it('each turn has its result', () => {
    expect(judge({ results: [[1], [2]], changes: [] }, { changes: [], answers }, 2).faults).toEqual([]);
    expect(judge({ results: [[2], [2]], changes: [] }, { changes: [], answers }, 2).faults).toEqual([
      'Turn 1: "1" instead of [2].',
    ]);
  });

  it('a single result is that of the last turn', () => {
    expect(judge({ results: [[2]], changes: [] }, { changes: [], answers }, 2).faults).toEqual([]);
    expect(judge({ results: [[1]], changes: [] }, { changes: [], answers }, 2).faults).toHaveLength(1);
  });

  it('a turn that was not reached has no result', () => {
    const { faults } = judge({ results: [[2]], changes: [] }, { changes: [], answers: ['Result: 2'] }, 2);
    expect(faults).toEqual(['Turn 2: no result instead of [2].']);
  });

  it('a task with another number of results is a defect of the task', () => {
    expect(() => judge({ results: [[1], [2]], changes: [] }, { changes: [], answers }, 3)).toThrow('3 turns');
  });
});

describe('the changes', () => {
  const unnamed = { payee: null, category: null, transfer: null, lines: [] };
  const bread: Change = { kind: 'transaction', created: { ...unnamed, account: 'Wallet', amount: -4_500 } };
  const other: Change = { kind: 'budgeted', month: '2026-11', category: 'Groceries', from: 0, to: 1_000 };
  const after = (changes: readonly Change[], answer: string) =>
    judge({ results: ['done'], changes: [bread] }, { changes, answers: [answer] }, 1);

  it('all of them and nothing else is right', () => {
    expect(after([bread], 'Result: done')).toEqual({ faults: [], isConfidentlyWrong: false });
  });

  it.each([
    ['a missing one', []],
    ['another amount', [{ ...bread, created: { ...bread.created, amount: -4_510 } }]],
    ['one that was not asked for', [bread, other]],
    ['one that was made twice', [bread, bread]],
  ] satisfies [string, Change[]][])('%s is wrong, and a person would rely on "done"', (_, changes) => {
    const { faults, isConfidentlyWrong } = after(changes, 'Result: done');
    expect(faults).not.toEqual([]);
    expect(isConfidentlyWrong).toBe(true);
  });

  it('a change that was not asked for is confidently wrong, whatever the model says then', () => {
    expect(after([bread, other], 'Result: question').isConfidentlyWrong).toBe(true);
  });

  it('a change that was refused by mistake is no confident fault', () => {
    const { faults, isConfidentlyWrong } = after([], 'Result: impossible');
    expect(faults).toHaveLength(2);
    expect(isConfidentlyWrong).toBe(false);
  });
});
