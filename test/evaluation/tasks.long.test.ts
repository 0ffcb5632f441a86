import { describe, expect, it } from 'vitest';
import type { Change } from './changes.ts';
import type { Export } from './export.ts';
import { type HouseholdName, startHousehold } from './households.ts';
import { judge } from './judge.ts';
import { type Expected, kinds, type Result, type Task } from './task.ts';
import { chosenOf, extraIds, loadTask, numberedTasks, taskIds, taskNamed } from './tasks.ts';

const ids = taskIds();

/** Of the households as they are. */
const exports = new Map<HouseholdName, Promise<Export>>();

/** The export before the conversation. */
function before({ household, prepare }: Task): Promise<Export> {
  if (prepare) return exportOf(household, prepare);
  const found = exports.get(household) ?? exportOf(household);
  exports.set(household, found);
  return found;
}

async function exportOf(name: HouseholdName, prepare?: Task['prepare']): Promise<Export> {
  const household = await startHousehold(name);
  try {
    await prepare?.(household.direct);
    return await household.export();
  } finally {
    await household.close();
  }
}

/** As a model gives it. Amounts have their cents. */
function spoken(result: Result): string {
  if (result === 'asked or refused') return 'question';
  if (typeof result === 'string') return result;
  return result
    .map((item) => (typeof item === 'object' ? item[0] : item))
    .map((item) => (/\.\d$/.test(String(item)) ? `${item}0` : item))
    .join('; ');
}

const unnamed = { payee: null, category: null, transfer: null };

/** A change that was found has empty fields where the expected one leaves them out. */
function asFound(change: Change): Change {
  if (change.kind !== 'transaction' && change.kind !== 'scheduled transaction') return change;
  if (!('created' in change)) return change;
  const lines = change.created.lines?.map((line) => ({ ...unnamed, ...line })) ?? [];
  return Object.assign({}, change, { created: { ...unnamed, ...change.created, lines } });
}

/** A cent more and a cent less, or another name. */
function wrongItems(item: number | string | readonly string[]): string[] {
  const amounts = [item].flat().map(Number);
  if (amounts.some(Number.isNaN)) return ['No Such Name'];
  return [Math.max(...amounts) + 0.01, Math.min(...amounts) - 0.01].map((amount) => amount.toFixed(2));
}

/** Other results, each of them wrong. */
function wrongForms(result: Result): string[] {
  if (result === 'anything') return [];
  if (result === 'done') return ['Result: question', 'Result: impossible', 'Result: 1.00', 'It is done.'];
  if (result === 'asked or refused') return ['Result: done', 'Result: 12.30', 'Which one?'];
  const withItem = (index: number, item: string) => `Result: ${spoken(result.with(index, item))}`;
  return [
    'Result: question',
    'Result: impossible',
    'Result: done',
    spoken(result),
    `Result: ${spoken(result)}; 5`,
    ...result.flatMap((item, index) => wrongItems(item).map((wrong) => withItem(index, wrong))),
    ...result.map((_, index) => `Result: ${spoken(result.toSpliced(index, 1))}`),
  ];
}

/** The same change with another value in one of the fields that the task names. */
function wrongChanges(change: Change): Change[] {
  const named = 'created' in change ? 'created' : 'to';
  if (change.kind === 'budgeted') return [{ ...change, to: change.to + 10 }];
  if (!(named in change)) return [];
  const row: Readonly<Record<string, unknown>> = Object.assign({}, Reflect.get(change, named));
  return Object.entries(row).map(([field, value]) => {
    const other = typeof value === 'number' ? value + 10 : Array.isArray(value) ? value.slice(1) : 'another';
    return Object.assign({}, change, { [named]: { ...row, [field]: other } });
  });
}

const unasked: Change = { kind: 'payee', created: { name: 'Unasked', again: true } };

/** Every outcome that has to be judged wrong, with what it is. */
function wrongOutcomes({ results, changes }: Expected, rightAnswers: readonly string[]) {
  const found = changes.map(asFound);
  const offset = rightAnswers.length - results.length;
  return [
    ...results.flatMap((result, index) =>
      wrongForms(result).map((answer) => ({
        what: answer,
        changes: found,
        answers: rightAnswers.with(offset + index, answer),
      })),
    ),
    ...changes.flatMap((change, index) =>
      wrongChanges(change).map((wrong) => ({
        what: `${JSON.stringify(wrong)} instead of ${JSON.stringify(change)}`,
        changes: found.with(index, asFound(wrong)),
        answers: rightAnswers,
      })),
    ),
    { what: 'a change that was not asked for', changes: [...found, unasked], answers: rightAnswers },
    ...found.map((change, index) => ({
      what: `without ${JSON.stringify(change)}`,
      changes: found.toSpliced(index, 1),
      answers: rightAnswers,
    })),
  ];
}

describe('the tasks', () => {
  it('are all there, numbered from 1 in each kind', () => {
    const wanted = Object.entries(kinds).flatMap(([kind, count]) =>
      Array.from({ length: count }, (_, index) => `${kind}-${String(index + 1).padStart(2, '0')}`),
    );
    expect(ids.map((id) => id.replace(/^(\w+-\d\d)-.*/, '$1'))).toEqual(wanted.toSorted());
  });

  it.each(ids)('%s is of the kind that its name says', async (id) => {
    expect(id.startsWith(`${(await loadTask(id)).kind}-`)).toBe(true);
  });

  it.each([...ids, ...extraIds()])(
    '%s: the right outcome is right, and every wrong one is wrong',
    async (id) => {
      const task = await loadTask(id);
      for (const turn of Object.keys(task.meanwhile ?? {}))
        expect(Number(turn)).toBeLessThan(task.says.length);

      const expected = task.expected(await before(task));
      const turns = task.says.length;
      const results = Array.from(
        { length: turns },
        (_, turn): Result => expected.results[turn - turns + expected.results.length] ?? 'anything',
      );
      const answers = results.map((result) => `Well.\nResult: ${spoken(result)}`);
      expect(results.at(-1), 'the last answer is judged').not.toBe('anything');
      expect(judge(expected, { changes: expected.changes.map(asFound), answers }, turns).faults).toEqual([]);
      for (const change of expected.changes)
        if (change.kind === 'transaction' && 'created' in change)
          expect(Object.keys(change.created)).toEqual(expect.arrayContaining(['account', 'date', 'amount']));
      for (const { what, ...outcome } of wrongOutcomes(expected, answers))
        expect(judge(expected, outcome, turns).faults, what).not.toEqual([]);
    },
  );
});

describe('the list of tasks', () => {
  it('finds a task by its name, and each one by a number', () => {
    const numbered = ids.map((_, index) => taskNamed(String(index + 1)));
    expect(numbered.toSorted()).toEqual(ids);
    expect(numbered).not.toEqual(ids);
    expect(numberedTasks('*')).toEqual(numbered.map((id, index) => `${index + 1} ${id}`));
    expect(numberedTasks('subset')).toHaveLength(24);
    for (const id of [...ids, ...extraIds()]) expect(taskNamed(id)).toBe(id);
    expect(() => taskNamed('0')).toThrow('There is no task 0.');
  });

  it('chooses by beginnings', () => {
    const all = ['figure-01-a', 'figure-02-b', 'write-01-c', 'write-03-d'];
    expect(chosenOf(all, '*')).toEqual(all);
    expect(chosenOf(all, 'figure-*,write-03')).toEqual(['figure-01-a', 'figure-02-b', 'write-03-d']);
    expect(chosenOf(all, 'subset')).toEqual(['write-03-d']);
  });
});
