/** A host that writes without consent in the household's budget, and what can be written there. */

import { expect } from 'vitest';
import { listPayees } from '../../src/operations/payees.ts';
import type { BudgetClientOptions } from '../../src/session/budget-client.ts';
import { callOperation } from '../call-operation.helper.ts';
import { hostOf } from '../mcp/connected.helper.ts';
import { startWarm } from '../session/holding.helper.ts';
import { writableState } from './writable-state.helper.ts';

export async function household(options: Partial<BudgetClientOptions> = {}) {
  const started = await startWarm((client) => callOperation(client, listPayees, {}), options);
  const host = await hostOf(started, { confirm: 'none' });
  const call = async (name: string, args = {}) => {
    const { content, isError, structuredContent } = await host.callTool({ name, arguments: args });
    const text = content.map((each) => (each.type === 'text' ? each.text : '')).join('\n');
    return { text, isError: isError === true, structured: structuredContent };
  };
  const state = () => writableState(started.direct(started.ledger.id));
  const done = async (name: string, args = {}) => {
    const result = await call(name, args);
    expect(result.isError, result.text).toBe(false);
    return result.text;
  };
  return { ...started, host, call, done, state };
}

export type Household = Awaited<ReturnType<typeof household>>;
