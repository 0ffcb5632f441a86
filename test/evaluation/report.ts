/** Sums up the recorded runs: the tables of docs/evaluation.md and README.md, and a line for each conversation that was not right. */
import { z } from 'zod';
import { type ArmName, armNames, type Recorded, type Run } from './recording.ts';
import { subset } from './subset.ts';
import { kinds } from './task.ts';

const kindSchema = z.enum(Object.keys(kinds));

/** `write-03-…` is of the kind `write`. */
const kindOf = ({ task }: Recorded) => kindSchema.parse(task.split('-')[0]);

const isRight = ({ verdict }: Recorded) => verdict.faults.length === 0;

/** A table for each model, with a row for each arm, and for each kind of an arm with several runs. */
export function reportTable(runs: readonly Run[]): string {
  if (runs.length === 0) return 'No run is recorded yet.';
  const models = [...new Set(runs.map(({ model }) => model))];
  return models
    .map((model) =>
      tableOf(
        model,
        runs.filter((run) => run.model === model),
      ),
    )
    .join('\n\n');
}

const toolsOf: Readonly<Record<ArmName, string>> = {
  all: 'all tools',
  mirror: 'only the 44 tools that have an operation of the service',
  'first-40': 'the first 40 tools',
  search: 'tools behind a search, five at a time',
  csv: 'none of ours, but CSV files and Python, which cannot write',
};

/** A row for all tasks, and one for each arm on the tasks that all arms have. Of the newest model. */
export function summaryTable(runs: readonly Run[]): string {
  const model = runs.at(-1)?.model;
  if (model === undefined) return 'No run is recorded yet.';
  const ofModel = runs.filter((run) => run.model === model);
  const common = ofModel.map((run) => ({
    ...run,
    conversations: run.conversations.filter(({ task }) => subset.some((begin) => task.startsWith(begin))),
  }));
  const row = (name: string, chosen: readonly Run[]) => {
    const all = chosen.flatMap(({ conversations }) => conversations);
    const calls = all.flatMap(({ turns }) => turns.flatMap((turn) => turn.calls));
    return `| ${[
      name,
      `${all.filter(isRight).length} of ${all.length}`,
      all.filter(({ verdict }) => verdict.isConfidentlyWrong).length,
      (calls.length / all.length).toFixed(1),
      Math.round(sum(calls.map(({ tokens }) => tokens)) / all.length),
    ].join(' | ')} |`;
  };
  const isOf = (arm: ArmName) => (run: Run) => run.arm === arm;
  return [
    `| ${model}, ${ofModel.at(-1)?.date} | right | confidently wrong | calls | tokens |`,
    '| --- | --: | --: | --: | --: |',
    row(`all tasks, ${toolsOf.all}, ${ofModel.filter(isOf('all')).length} runs`, ofModel.filter(isOf('all'))),
    ...armNames
      .filter((arm) => common.some(isOf(arm)))
      .map((arm) => row(`${subset.length} tasks, ${toolsOf[arm]}`, common.filter(isOf(arm)))),
  ].join('\n');
}

function tableOf(model: string, runs: readonly Run[]): string {
  const dates = [...new Set(runs.map(({ date }) => date))].toSorted();
  const rows = armNames
    .map((arm) => ({ arm, ofArm: runs.filter((run) => run.arm === arm) }))
    .filter(({ ofArm }) => ofArm.length > 0)
    .flatMap(({ arm, ofArm }) => [
      rowOf(`**${arm}**`, 'all', ofArm),
      // One run of a kind has too few tasks to compare.
      ...(ofArm.length > 1 ? kindSchema.options : [])
        .map((kind) => ({ kind, ofKind: ofArm.map((run) => onlyOf(run, kind)) }))
        .filter(({ ofKind }) => ofKind.some(({ conversations }) => conversations.length > 0))
        .map(({ kind, ofKind }) => rowOf('', kind, ofKind)),
    ]);
  return [
    `${model}, ${dates.join(' and ')}. Calls, tokens of answers and requests are means for each task.`,
    '',
    '| arm | kind | runs | right at first | right in all runs | confidently wrong | calls | tokens | requests |',
    '| --- | --- | --: | --: | --: | --: | --: | --: | --: |',
    ...rows,
  ].join('\n');
}

const onlyOf = (run: Run, kind: string): Run => ({
  ...run,
  conversations: run.conversations.filter((each) => kindOf(each) === kind),
});

function rowOf(arm: string, kind: string, runs: readonly Run[]): string {
  const [first] = runs.toSorted((a, b) => a.number - b.number);
  const all = runs.flatMap(({ conversations }) => conversations);
  const tasks = [...new Set(all.map(({ task }) => task))];
  const ofFirst = first?.conversations ?? [];
  const always = tasks.filter((task) => all.filter((each) => each.task === task).every(isRight));
  const calls = all.flatMap(({ turns }) => turns.flatMap((turn) => turn.calls));
  const cells = [
    arm,
    kind,
    runs.length,
    `${ofFirst.filter(isRight).length} of ${ofFirst.length}`,
    runs.length > 1 ? `${always.length} of ${tasks.length}` : '',
    `${all.filter(({ verdict }) => verdict.isConfidentlyWrong).length} of ${all.length}`,
    (calls.length / all.length).toFixed(1),
    Math.round(sum(calls.map(({ tokens }) => tokens)) / all.length),
    (sum(all.map(({ requests }) => requests)) / all.length).toFixed(1),
  ];
  return `| ${cells.join(' | ')} |`;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

/** A line for each conversation that was not right. */
export const faultLines = (runs: readonly Run[]): string[] =>
  runs.flatMap(({ date, model, arm, number, conversations }) =>
    conversations
      .filter((each) => !isRight(each))
      .map(({ task, verdict }) => {
        const confidence = verdict.isConfidentlyWrong ? ' (confident)' : '';
        return `${date} ${model} ${arm} ${number} ${task}${confidence}: ${verdict.faults.join(' ')}`;
      }),
  );
