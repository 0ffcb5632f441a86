import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { collect, type RecordedInArm, readRuns, writeRecord } from './recording.ts';

const recorded = (task: string, arm: RecordedInArm['arm'] = 'all'): RecordedInArm => ({
  task,
  arm,
  turns: [
    {
      calls: [{ tool: 'report', arguments: { of: 'spending' }, tokens: 12, isError: false }],
      answer: 'Result: 1',
    },
  ],
  requests: 2,
  verdict: { faults: [], isConfidentlyWrong: false },
});

async function folderOf(...records: RecordedInArm[]): Promise<string> {
  const folder = await temporaryDirectory();
  for (const [index, record] of records.entries()) writeRecord(join(folder, `${index}.json`), record);
  return folder;
}

it('the files of all conversations become one, in the order of the tasks', async () => {
  const runs = await temporaryDirectory();
  const folder = await folderOf(recorded('write-02-b'), recorded('figure-01-a'));
  const path = collect(folder, { model: 'some model', number: 2, runs });

  expect(path).toMatch(/\/\d{4}-\d\d-\d\d-some-model-all-2\.json$/);
  const { arm: _, ...figure } = recorded('figure-01-a');
  expect(readRuns(runs)).toEqual([
    expect.objectContaining({
      model: 'some model',
      arm: 'all',
      number: 2,
      conversations: [figure, expect.anything()],
    }),
  ]);
});

it('a recording is never written over', async () => {
  const runs = await temporaryDirectory();
  const folder = await folderOf(recorded('write-02-b'));
  collect(folder, { model: 'one', number: 1, runs });
  expect(() => collect(folder, { model: 'one', number: 1, runs })).toThrow('EEXIST');
});

it('a second try, several arms and an empty folder are refused', async () => {
  const options = { model: 'one', number: 1, runs: await temporaryDirectory() };
  expect(() => collect(options.runs, options)).toThrow('not of 0');
  const twice = await folderOf(recorded('write-02-b'), recorded('write-02-b'));
  expect(() => collect(twice, options)).toThrow('twice: write-02-b');
  const mixed = await folderOf(recorded('write-02-b'), recorded('write-03-c', 'csv'));
  expect(() => collect(mixed, options)).toThrow('not of 2');
});
