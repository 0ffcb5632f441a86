import { expect, test } from 'vitest';
import { defineTool } from '../../src/answers/tool.ts';
import { report } from '../../src/features/report/report.ts';
import { startHolding } from '../session/holding.helper.ts';
import { hostOf } from './connected.helper.ts';

test('an answer is complete without its view if the view fails, and the failure is logged', async () => {
  const failing = defineTool({
    ...report,
    async run(call, args) {
      const view = () => {
        throw new Error('broken');
      };
      return { ...(await report.run(call, args)), view };
    },
  });
  const logged: unknown[] = [];
  const options = {
    structured: false,
    readView: async () => '',
    log: { error: ({ err }: { err: unknown }) => logged.push(err) },
  };
  const started = await startHolding();
  const args = { name: 'report', arguments: { of: 'spending' } };
  const result = await (await hostOf(started, { ...options, tools: [failing] })).callTool(args);
  const expected = await (await hostOf(started, options)).callTool(args);
  expect(result.isError).toBeFalsy();
  expect(result._meta?.['budget-mcp/view']).toBeUndefined();
  expect(expected._meta?.['budget-mcp/view']).toBeDefined();
  const body = ({ content }: typeof result) => JSON.stringify(content).replace(/As of .*/, '');
  expect(body(result)).toBe(body(expected));
  expect(logged).toEqual([new Error('broken')]);
});
