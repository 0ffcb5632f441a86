/**
 * `npm run bench`: measures requests, time and memory. Client and service run in separate processes. Values that are
 * compared are measured alternately in one run, so that a slow machine slows both. Each benchmark is a file that returns
 * rows of the table and does not depend on the others.
 *
 * `npm run bench -- tokens` counts only the tokens that a model reads, `npm run bench -- reports` measures only answers that
 * are computed from a whole budget.
 *
 * `npm run bench -- --write` writes the table without the tokens into README.md. The benchmarks do not fail if they are slow.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { conversation } from './conversation.ts';
import { deltas } from './deltas.ts';
import { httpCalls } from './http-calls.ts';
import { loading } from './loading.ts';
import { reports } from './reports.ts';
import { startServiceProcess } from './service-process.ts';
import { startUp } from './start-up.ts';
import { markdown, type Row } from './table.ts';
import { tokens } from './tokens.ts';
import { warmAnswers } from './warm-answers.ts';

const LARGE = 100_000;
const SMALL = 10_000;

/** A well-kept budget of ten years. */
const TEN_YEARS = ['--months', '120', '--categories', '300', '--payees', '5000'];

const readme = 'README.md';
const [START, END] = ['<!-- bench -->', '<!-- /bench -->'];

const progress = (step: string) => process.stderr.write(`${step} …\n`);

async function measure(): Promise<string> {
  progress('starting the program');
  const starts = await startUp();
  progress('calls over HTTP');
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
    rows.push(...(await measureReports()), ...starts, ...calls);
    return `${markdown(rows)}\n\n${machine()}`;
  } finally {
    large.stop();
    small.stop();
  }
}

async function measureReports(): Promise<Row[]> {
  progress(`reports on ${LARGE} transactions in ten years`);
  const service = await startServiceProcess(LARGE, TEN_YEARS);
  try {
    return await reports(service);
  } finally {
    service.stop();
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

const only = process.argv[2];
if (only === 'reports') {
  process.stdout.write(`${markdown(await measureReports())}\n`);
} else {
  if (only !== 'tokens') {
    const table = await measure();
    process.stdout.write(`${table}\n\n`);
    if (process.argv.includes('--write')) write(table);
  }
  progress('tokens');
  process.stdout.write(`${markdown(await tokens(LARGE))}\n`);
}
