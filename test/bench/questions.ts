/**
 * Measures what the sixteen questions cost, each asked to a new server with a new demo budget. Throws if an answer is wrong.
 */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { z } from 'zod';
import { dateOf, systemClock } from '../../src/base/clock.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { startService } from '../../src/service/server.ts';
import { readRows } from '../budget-rows.helper.ts';
import { ask, checkAnswers, type Question } from '../question.helper.ts';
import { questions as all } from '../sixteen-questions.helper.ts';
import { type Host, startHost } from './host.ts';
import { count, type Row } from './table.ts';

const MAX_CALLS = 2;
const MAX_TOKENS = 600;

interface Cost {
  readonly calls: number;
  /** The tokens of each answer. */
  readonly tokens: readonly number[];
  readonly requests: number;
}

export async function questions(): Promise<Row[]> {
  const rows: Row[] = [];
  const costs: Cost[] = [];
  for (const question of all) {
    const cost = await costOf(question);
    costs.push(cost);
    rows.push({
      what: question.question,
      measured: `${cost.calls} ${cost.calls === 1 ? 'call' : 'calls'}, ${cost.tokens.map(count).join(' + ')} tokens, ${cost.requests} requests`,
      beside: '',
      target: '',
      met: cost.calls <= MAX_CALLS && Math.max(...cost.tokens) <= MAX_TOKENS,
    });
  }
  const sumOf = (number: (cost: Cost) => number) => count(costs.reduce((sum, cost) => sum + number(cost), 0));
  const tokens = sumOf((cost) => cost.tokens.reduce((sum, each) => sum + each, 0));
  rows.push({
    what: 'all sixteen',
    measured: `${sumOf(({ calls }) => calls)} calls, ${tokens} tokens, ${sumOf(({ requests }) => requests)} requests`,
    beside: '',
    target: `each at most ${MAX_CALLS} calls of at most ${MAX_TOKENS} tokens`,
    met: true,
  });
  return rows;
}

async function costOf(question: Question): Promise<Cost> {
  const service = await startService({ clock: systemClock, rateLimit: 1_000_000 });
  const budgetId = service.user.ledgers[0]?.id ?? '';
  const { baseUrl, accessToken: token } = service;
  const host = await startHost(
    { baseUrl, token, budgetId },
    { clock: systemClock, cacheBytes: 256 * 2 ** 20, agrees: true },
  );
  const readNow = () =>
    readRows((path) => read(`${baseUrl}/budgets/${budgetId}/${path}`, token), dateOf(systemClock.now()));
  const call = (tool: string, args: JsonObject) => textOf(host, tool, args);
  try {
    await ask(question.before ?? [], call);
    const rows = await readNow();
    const before = host.spent.requests;
    const calls = question.calls(rows);
    const answers = await ask(calls, call);
    const requests = host.spent.requests - before;
    checkAnswers(answers, question.expected(rows));
    question.after?.(rows, await readNow());
    return { calls: calls.length, tokens: answers.map((text) => countTokens(text)), requests };
  } finally {
    await host.close();
    await service.close();
  }
}

const dataSchema = z.object({ data: z.unknown() });

async function read(url: string, token: string): Promise<unknown> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  return dataSchema.parse(await response.json()).data;
}

async function textOf(host: Host, tool: string, args: JsonObject): Promise<string> {
  const { content } = await host.call(tool, args);
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}
