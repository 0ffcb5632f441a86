/** Every answer on a large budget, in tokens as a model reads them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catalogue } from '../../src/features/catalogue.ts';
import { type ServiceProcess, startServiceProcess } from '../bench/service-process.ts';
import {
  type Budget,
  type Call,
  defaultReads,
  defaultWrites,
  largestCalls,
  statement,
  statementCalls,
} from '../every-call.helper.ts';
import { connectModern, type Host } from '../hosts.helper.ts';

const LARGE = 30_000;
/** The bounds of the text of an answer by default, and of any answer. */
const [DEFAULT, LONGEST] = [2_000, 10_000];

const labelOf = ({ name, args }: Call) => {
  const given = Object.entries(args).map(([argument, value]) =>
    Array.isArray(value) ? `${value.length} ${argument}` : argument,
  );
  return `${name} ${given.join(', ')}`.trim();
};

describe.each(['text', 'structured'] as const)('answers with %s', (mode) => {
  let service: ServiceProcess;
  let host: Host;
  let budget: Budget;
  let folder: string;
  beforeAll(async () => {
    service = await startServiceProcess(LARGE);
    ({ budget } = await service.export());
    folder = mkdtempSync(join(tmpdir(), 'statements-'));
    writeFileSync(join(folder, statement.name), statement.text);
    host = await connectModern({
      args: ['serve', '--confirm', 'none', '--statements', folder],
      env: {
        BUDGET_MCP_BASE_URL: service.baseUrl,
        BUDGET_MCP_TOKEN: service.token,
        BUDGET_MCP_STRUCTURED: String(mode === 'structured'),
      },
    });
  });
  afterAll(async () => {
    await host.close();
    service.stop();
    rmSync(folder, { recursive: true });
  });

  /** The calls whose text is over the bound, or whose structured content is over that of any answer. */
  async function callsOver(calls: readonly Call[], bound: number) {
    const over: string[] = [];
    for (const call of calls) {
      const { text, structured, isError } = await host.call(call.name, call.args);
      expect(isError, `${labelOf(call)}: ${text}`).toBe(false);
      const ofStructured = mode === 'structured' ? countTokens(JSON.stringify(structured)) : 0;
      if (countTokens(text) > bound || ofStructured > LONGEST) over.push(labelOf(call));
    }
    return over;
  }

  test(`the answer of every read by default fits its bound (${mode})`, async () => {
    expect(await callsOver(defaultReads(budget), DEFAULT)).toEqual([]);
  });

  test(`the answers of the largest calls fit their bound (${mode})`, async () => {
    expect(await callsOver(largestCalls(budget), LONGEST)).toEqual([]);
  });

  test(`the answer of every write of one thing fits its bound (${mode})`, async () => {
    expect(await callsOver(defaultWrites(budget), DEFAULT)).toEqual([]);
  });

  test(`the answers about a statement of 400 rows fit their bound (${mode})`, async () => {
    expect(await callsOver(statementCalls(budget), DEFAULT)).toEqual([]);
  });

  test(`every tool has been called (${mode})`, () => {
    const calls = [...defaultReads(budget), ...defaultWrites(budget), ...statementCalls(budget)];
    const called = new Set(calls.map(({ name }) => name));
    // No tool begins a watch, which `stop_watch` needs.
    const others = catalogue.filter(({ name }) => name !== 'stop_watch');
    expect([...called].toSorted()).toEqual(others.map(({ name }) => name).toSorted());
  });
});
