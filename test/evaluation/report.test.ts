import { expect, it } from 'vitest';
import type { Recorded, Run } from './recording.ts';
import { faultLines, reportTable, summaryTable } from './report.ts';

const conversation = (task: string, fault?: 'confident' | 'open'): Recorded => ({
  task,
  turns: [
    { calls: [{ tool: 'report', arguments: {}, tokens: 100, isError: false }], answer: 'Result: 1' },
    { calls: [{ tool: 'report', arguments: {}, tokens: 51, isError: false }], answer: 'Result: 2' },
  ],
  requests: 3,
  verdict: { faults: fault ? ['Wrong.'] : [], isConfidentlyWrong: fault === 'confident' },
});

const run = (number: number, conversations: Recorded[], arm: Run['arm'] = 'all'): Run => ({
  date: '2026-11-23',
  model: 'some model',
  arm,
  number,
  conversations,
});

const runs = [
  run(2, [conversation('figure-01-a', 'confident'), conversation('write-01-b', 'open')]),
  run(1, [conversation('figure-01-a'), conversation('write-01-b', 'open')]),
  run(1, [conversation('figure-01-a')], 'csv'),
];

it('the table has a row for each arm, and for each kind of an arm with several runs', () => {
  expect(reportTable(runs).split('\n')).toEqual([
    'some model, 2026-11-23. Calls, tokens of answers and requests are means for each task.',
    '',
    '| arm | kind | runs | right at first | right in all runs | confidently wrong | calls | tokens | requests |',
    '| --- | --- | --: | --: | --: | --: | --: | --: | --: |',
    '| **all** | all | 2 | 1 of 2 | 0 of 2 | 1 of 4 | 2.0 | 151 | 3.0 |',
    '|  | figure | 2 | 1 of 1 | 0 of 1 | 1 of 2 | 2.0 | 151 | 3.0 |',
    '|  | write | 2 | 0 of 1 | 0 of 1 | 0 of 2 | 2.0 | 151 | 3.0 |',
    '| **csv** | all | 1 | 1 of 1 |  | 0 of 1 | 2.0 | 151 | 3.0 |',
  ]);
  expect(reportTable([])).toBe('No run is recorded yet.');
});

it('each conversation that was not right has a line', () => {
  expect(faultLines(runs)).toEqual([
    '2026-11-23 some model all 2 figure-01-a (confident): Wrong.',
    '2026-11-23 some model all 2 write-01-b: Wrong.',
    '2026-11-23 some model all 1 write-01-b: Wrong.',
  ]);
});

it('the summary compares the arms on the tasks that all have', () => {
  const ofBoth = [
    run(1, [conversation('figure-01-a', 'confident'), conversation('figure-03-c')]),
    run(1, [conversation('figure-03-c', 'open')], 'csv'),
  ];
  expect(summaryTable(ofBoth).split('\n')).toEqual([
    '| some model, 2026-11-23 | right | confidently wrong | calls | tokens |',
    '| --- | --: | --: | --: | --: |',
    '| all tasks, all tools, 1 runs | 1 of 2 | 1 | 2.0 | 151 |',
    '| 24 tasks, all tools | 1 of 1 | 0 | 2.0 | 151 |',
    '| 24 tasks, none of ours, but CSV files and Python, which cannot write | 0 of 1 | 0 | 2.0 | 151 |',
  ]);
});
