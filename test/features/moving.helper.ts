/** A host that moves budgeted money, over a connection that a test can disturb. Amounts of the ledger in milliunits. */

import { expect } from 'vitest';
import { listPayees } from '../../src/operations/payees.ts';
import { setBudgeted } from '../../src/service/ledger/categories.ts';
import type { BudgetClientOptions } from '../../src/session/budget-client.ts';
import { callOperation } from '../call-operation.helper.ts';
import { hostOf } from '../mcp/connected.helper.ts';
import { startWriting } from '../session/writing-client.helper.ts';

export const MONTH = '2026-11-01';

export async function startMoving(
  options: Partial<BudgetClientOptions> = {},
  deps: Parameters<typeof hostOf>[1] = {},
) {
  const started = await startWriting({ cacheBytes: 2 ** 26, ...options });
  const { client, ledger, passing, sent } = started;
  await passing(callOperation(client, listPayees, {}));
  const host = await hostOf(started, deps);
  const send = async (name: string, args: object) => {
    const { structuredContent, content, isError } = await host.callTool({ name, arguments: { ...args } });
    const text = content.map((each) => (each.type === 'text' ? each.text : '')).join('\n');
    return { structured: structuredContent, text, isError: isError === true };
  };
  const call = (name: string, args: object = {}) => passing(send(name, args));
  const move = (args: object) => call('move_budgeted', args);
  const category = (name: string, month = MONTH) => {
    const all = ledger.categoryGroups().flatMap(({ categories }) => categories);
    const { id } = all.find((each) => each.name === name) ?? expect.unreachable();
    return ledger.category(id, month) ?? expect.unreachable();
  };
  const budgeted = (name: string) => category(name).budgeted;
  const ready = () => ledger.month(MONTH)?.to_be_budgeted ?? expect.unreachable();
  /** As if somebody else had set what is budgeted. */
  const setElsewhere = (name: string, amount: number, month = MONTH) =>
    ledger.commit((state) => setBudgeted(state, category(name).id, month, amount));
  /** Both categories and what is ready to be assigned. Their sum changes only by what somebody else does. */
  const amounts = () => [budgeted('Groceries'), budgeted('Hobbies'), ready()];
  const before = amounts();
  /** What has changed since the start. */
  const changes = () => amounts().map((amount, at) => amount - (before[at] ?? 0));
  return { ...started, host, send, call, move, category, budgeted, ready, setElsewhere, changes, sent };
}
