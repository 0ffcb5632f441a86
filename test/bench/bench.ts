/**
 * `npm run bench`: measures requests, time and memory. Client and service run in separate processes. Values that are
 * compared are measured alternately in one run, so that a slow machine slows both. Each benchmark is a file that returns
 * rows of the table and does not depend on the others.
 *
 * `npm run bench -- tokens` counts only the tokens that a model reads, `npm run bench -- reports` measures only answers that
 * are computed from a whole budget, `npm run bench -- questions` only what sixteen questions cost,
 * `npm run bench -- start-up` only the time and memory of the first tool list, and `npm run bench -- second-start` only the
 * first answer of a program that finds its budget in the state of an earlier one, and `npm run bench -- warm` only warm answers. `npm run bench -- views` needs Chromium, so
 * only it measures how fast views are drawn. `npm run bench -- forecast` judges forecasts by invented households, and
 * `npm run bench -- statements` measures how fast the file of a bank is read.
 *
 * `--write` writes the table of speed into docs/performance.md, that of the questions into docs/questions.md, and that of tokens into
 * docs/answers.md with its main rows in docs/performance.md. The benchmarks do not fail if they are slow.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { conversation } from './conversation.ts';
import { deltas } from './deltas.ts';
import { backtest } from './forecast/backtest.ts';
import { httpCalls } from './http-calls.ts';
import { loading } from './loading.ts';
import { questions } from './questions.ts';
import { reports } from './reports.ts';
import { secondStart } from './second-start.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';
import { startUp } from './start-up.ts';
import { statements } from './statements.ts';
import { markdown, type Row } from './table.ts';
import { tokens } from './tokens.ts';
import { views } from './views.ts';
import { warmAnswers } from './warm-answers.ts';

const LARGE = 100_000;
const SMALL = 10_000;
/** Of the households by which forecasts are judged. The method was developed with others. */
const FIRST_SEED = 1101;

/** A well-kept budget of ten years. */
const TEN_YEARS = ['--months', '120', '--categories', '300', '--payees', '5000'];

const performance = 'docs/performance.md';
const answers = 'docs/answers.md';

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
    progress('second starts');
    const secondStarts = await secondStart(large);
    rows.push(...(await measureReports()), ...starts, ...secondStarts, ...calls, ...(await statements()));
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

async function measureAlone(
  what: string,
  rowsOf: (service: ServiceProcess) => Promise<Row[]>,
): Promise<Row[]> {
  progress(`${what} with ${LARGE} transactions`);
  const service = await startServiceProcess(LARGE);
  try {
    return await rowsOf(service);
  } finally {
    service.stop();
  }
}

function machine(): string {
  const [cpu] = cpus();
  return `Measured with Node.js ${process.version} on ${cpus().length} cores of ${cpu?.model.trim() || 'an unnamed CPU'}.`;
}

/** Replaces the text between the marks of that name. */
function write(file: string, name: string, table: string): void {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const text = readFileSync(file, 'utf8');
  const [before] = text.split(start);
  const [, after] = text.split(end);
  if (before === undefined || after === undefined) throw new Error(`${file} has no ${start} … ${end}.`);
  writeFileSync(file, `${before}${start}\n\n${table}\n\n${end}${after}`);
}

const isWriting = process.argv.includes('--write');
const parts = 'tokens reports questions start-up second-start warm views forecast statements'.split(' ');
const only = parts.find((each) => process.argv.includes(each));
if (only === undefined) {
  const table = await measure();
  process.stdout.write(`${table}\n\n`);
  if (isWriting) write(performance, 'bench', table);
}
if (only === 'start-up') process.stdout.write(`${markdown(await startUp())}\n`);
if (only === 'statements') process.stdout.write(`${markdown(await statements())}\n`);
if (only === 'forecast') {
  progress('forecasts of 100 households');
  const table = markdown(backtest(100, FIRST_SEED));
  process.stdout.write(`${table}\n`);
  if (isWriting) write('docs/questions.md', 'forecast', table);
}
if (only === 'views') process.stdout.write(`${markdown(await views())}\n`);
if (only === 'second-start')
  process.stdout.write(`${markdown(await measureAlone('second starts', secondStart))}\n`);
if (only === 'warm') process.stdout.write(`${markdown(await measureAlone('warm answers', warmAnswers))}\n`);
if (only === 'reports') process.stdout.write(`${markdown(await measureReports())}\n`);
if (only === undefined || only === 'questions') {
  progress('sixteen questions');
  const table = markdown(await questions());
  process.stdout.write(`${table}\n\n`);
  if (isWriting) write('docs/questions.md', 'questions', table);
}
if (only === undefined || only === 'tokens') {
  progress('tokens');
  const { main, all } = await tokens(LARGE);
  process.stdout.write(`${all}\n`);
  if (isWriting) {
    write(performance, 'tokens', main);
    write(answers, 'tokens', all);
  }
}
