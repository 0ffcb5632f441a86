/**
 * `npm run bench`: how many requests, how much time and how much memory an answer costs. Client and service run in
 * processes of their own; what is compared is measured in one run, in turns, so that a slow machine slows both. Each
 * measurement is a file that gives rows of one table; it knows the parts that it measures and nothing of the others.
 *
 * `npm run bench -- --write` puts the table into README.md. Nothing here fails for being slow: a time is read, not
 * asserted.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { conversation } from './conversation.ts';
import { deltas } from './deltas.ts';
import { httpCalls } from './http-calls.ts';
import { loading } from './loading.ts';
import { startServiceProcess } from './service-process.ts';
import { startUp } from './start-up.ts';
import { markdown } from './table.ts';
import { warmAnswers } from './warm-answers.ts';

const LARGE = 100_000;
const SMALL = 10_000;

const readme = 'README.md';
const [START, END] = ['<!-- bench -->', '<!-- /bench -->'];

const progress = (what: string) => process.stderr.write(`${what} …\n`);

async function measured(): Promise<string> {
  progress('starts');
  const starts = await startUp();
  progress('calls by HTTP');
  const calls = await httpCalls();
  progress(`starting two services with ${LARGE} and ${SMALL} transactions`);
  const [large, small] = await Promise.all([startServiceProcess(LARGE), startServiceProcess(SMALL)]);
  try {
    progress('loading');
    const rows = await loading(large);
    progress('deltas');
    rows.push(...(await deltas(large, small)));
    progress('warm answers');
    rows.push(...(await warmAnswers(large)));
    progress('a conversation');
    rows.unshift(...(await conversation(small)));
    rows.push(...starts, ...calls);
    return `${markdown(rows)}\n\n${machine()}`;
  } finally {
    large.stop();
    small.stop();
  }
}

function machine(): string {
  const [cpu] = cpus();
  return `Measured with Node.js ${process.version} on ${cpus().length} cores of ${cpu?.model.trim() || 'an unnamed CPU'}.`;
}

function write(table: string): void {
  const text = readFileSync(readme, 'utf8');
  const [before] = text.split(START);
  const [, after] = text.split(END);
  if (before === undefined || after === undefined) throw new Error(`${readme} has no ${START} … ${END}.`);
  writeFileSync(readme, `${before}${START}\n\n${table}\n\n${END}${after}`);
}

const table = await measured();
process.stdout.write(`${table}\n`);
if (process.argv.includes('--write')) write(table);
