/** `npm run evaluate -- COMMAND`: how well models do with the tools. docs/evaluation.md says what is evaluated, and how. */
import { parseArgs } from 'node:util';
import { door } from './door.ts';

const USAGE = `Usage: npm run evaluate -- COMMAND
  run --endpoint URL --model NAME [--arm ARM] [--tasks LIST|subset] [--times N] [--api-key-env NAME]
  door start|tools|tool|call|answer …          a conversation for a model that works in a terminal
  tasks [LIST|subset]                          the tasks with their numbers, for those who hand them out
  collect FOLDER --model NAME --number N       makes one recording of the conversations in a folder
  report                                       the table of all recordings, and what was wrong`;

const [command, ...args] = process.argv.slice(2);

/** Returns what is to be printed. Only what the command needs is loaded, so that a call through the door starts fast. */
async function execute(): Promise<string> {
  if (command === 'door') return door(args);
  if (command === 'run') return (await import('./run.ts')).run(args);
  if (command === 'collect') return collectFolder();
  if (command === 'tasks') return (await import('./tasks.ts')).numberedTasks(args[0] ?? '*').join('\n');
  if (command !== 'report') throw new Error(USAGE);
  const { readRuns } = await import('./recording.ts');
  const { faultLines, reportTable } = await import('./report.ts');
  const runs = readRuns();
  return [reportTable(runs), '', ...faultLines(runs)].join('\n');
}

async function collectFolder(): Promise<string> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { model: { type: 'string' }, number: { type: 'string', default: '1' } },
  });
  const [folder] = positionals;
  const { model, number } = values;
  if (folder === undefined || model === undefined) throw new Error(USAGE);
  const { collect } = await import('./recording.ts');
  return collect(folder, { model, number: Number(number) });
}

try {
  process.stdout.write(`${await execute()}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
