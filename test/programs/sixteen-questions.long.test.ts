/**
 * Questions that people ask about their budget, to a program with the example budget, and to one with a budget of ten years.
 * What the answers have to contain is computed from the rows of the service.
 */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Rows, readRows } from '../budget-rows.helper.ts';
import { connectModern, type ModernHost } from '../hosts.helper.ts';
import { Household } from '../household.helper.ts';
import { ask, checkAnswers, type Question } from '../question.helper.ts';
import { questions } from '../sixteen-questions.helper.ts';

const MAX_CALLS = 2;
/** 600 (docs/questions.md), and on the first days of a month 200 more for what is still to be paid in it. */
const MAX_TOKENS = 800;

const byName = questions.map((question) => [question.question, question] as const);

test('there are sixteen questions', () => {
  expect(questions.map(({ question }) => Number.parseInt(question, 10))).toEqual(
    Array.from({ length: 16 }, (_, index) => index + 1),
  );
});

/** The host agrees when the server asks. */
const connect = (home: Household) =>
  connectModern({
    args: ['serve'],
    env: { ...home.env(), BUDGET_MCP_STRUCTURED: 'false' },
    person: () => 'accept',
  });

const rowsOf = (home: Household) => readRows((path) => home.get(path), home.today);

interface Session {
  readonly home: Household;
  readonly host: ModernHost;
  /** The rows of the service after the last question, if it was answered. */
  rows?: Rows | undefined;
}

async function askAndCheck(question: Question, session: Session) {
  const { home, host } = session;
  const call = async (tool: string, args: Readonly<Record<string, unknown>>) => {
    const { text, isError } = await host.call(tool, args);
    expect(isError, text).toBe(false);
    return text;
  };
  const { before = [] } = question;
  const unchanged = before.length === 0 ? session.rows : undefined;
  session.rows = undefined;
  await ask(before, call);
  const rows = unchanged ?? (await rowsOf(home));
  const calls = question.calls(rows);
  expect(calls.length).toBeLessThanOrEqual(MAX_CALLS);
  const answers = await ask(calls, call);
  checkAnswers(answers, question.expected(rows));
  for (const text of answers) expect(countTokens(text), text).toBeLessThanOrEqual(MAX_TOKENS);
  const now = question.after ? await rowsOf(home) : rows;
  question.after?.(rows, now);
  session.rows = now;
}

describe.each([
  ['the example budget', {}],
  ['30,000 transactions of ten years', { transactions: 30_000, months: 120, categories: 300, payees: 5_000 }],
])('with %s', (_, size) => {
  let session: Session;

  beforeAll(async () => {
    const home = await Household.start(size);
    session = { home, host: await connect(home) };
  });

  afterAll(async () => {
    await session.host.close();
    await session.home.close();
  });

  test.each(byName)(
    `the answer to %s is right, in at most ${MAX_CALLS} calls of at most ${MAX_TOKENS} tokens`,
    (_, question) => askAndCheck(question, session),
  );
});
