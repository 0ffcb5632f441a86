/** A conversation of 12 turns and 60 calls about a budget that changes elsewhere in between. */

import fc from 'fast-check';
import { expect } from 'vitest';
import { Random } from '../../src/service/demo-data/random.ts';
import type { BudgetClient } from '../../src/session/budget-client.ts';
import { callOperation } from '../call-operation.helper.ts';
import { idsOf, inputsOf, replicaOperations } from '../model/replica/service-reader.helper.ts';
import { apply, type Change, changes } from '../service/ledger/random-changes.helper.ts';
import type { startHolding } from './holding.helper.ts';
import { inOrder } from './in-order.helper.ts';

const TURNS = 12;
const CALLS = 5;

/**
 * Each turn goes to the next client. All results must be right. Expects at most one request per turn and `more` further ones,
 * and returns their number.
 */
export async function converse(
  clients: readonly BudgetClient[],
  {
    ledger,
    clock,
    direct,
    asked,
  }: Pick<Awaited<ReturnType<typeof startHolding>>, 'ledger' | 'clock' | 'direct' | 'asked'>,
  more: number,
): Promise<number> {
  const witness = direct(ledger.id);
  const random = new Random(12);
  const elsewhere: Change[] = fc.sample(changes(6), { seed: 12, numRuns: TURNS }).flat();
  const used = new Set<string>();
  let requests = 0;
  for (let turn = 0; turn < TURNS; turn += 1) {
    const client = clients[turn % clients.length] ?? expect.unreachable();
    for (const change of elsewhere.splice(0, 3)) if (change.kind !== 'advance') apply(ledger, change);
    clock.advance(random.integer(20, 120) * 1000);
    const ids = idsOf(await witness.export());
    for (let call = 0; call < CALLS; call += 1) {
      clock.advance(random.integer(0, 1000));
      const operation =
        replicaOperations[(turn * CALLS + call) % replicaOperations.length] ?? expect.unreachable();
      used.add(operation.name);
      const questions = inputsOf(operation, ids, {}).filter(
        (input) => !Object.values(input).some((id) => id === 'nothing' || id === '1999-01-01'),
      );
      const input = operation.input.parse(questions[random.integer(0, questions.length - 1)] ?? {});
      const { data } = await callOperation(client, operation, input);
      expect(inOrder(data), operation.name).toEqual(inOrder(await witness.data(operation, input)));
    }
    requests += asked().length;
    expect(requests).toBeLessThanOrEqual(turn + 1 + more);
  }
  expect(used.size).toBe(replicaOperations.length);
  return requests;
}
