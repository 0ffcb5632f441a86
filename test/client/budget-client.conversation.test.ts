import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Random } from '../../src/service/demo-data/random.ts';
import { idsOf, inputsOf, replicaOperations } from '../replica/service-reader.helper.ts';
import { apply, type Change, changes } from '../service/ledger/random-changes.helper.ts';
import { startHolding } from './holding.helper.ts';
import { inOrder } from './in-order.helper.ts';

const TURNS = 12;
const CALLS = 5;

it('a conversation of 12 turns and 60 calls needs one request per turn and two more, and all results are right', async () => {
  const { client, ledger, clock, direct, asked } = await startHolding();
  const witness = direct(ledger.id);
  const random = new Random(12);
  const elsewhere: Change[] = fc.sample(changes(6), { seed: 12, numRuns: TURNS }).flat();
  const used = new Set<string>();
  let requests = 0;
  for (let turn = 0; turn < TURNS; turn += 1) {
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
      const { data } = await client.call(operation, input);
      expect(inOrder(data), operation.name).toEqual(inOrder(await witness.data(operation, input)));
    }
    requests += asked().length;
    expect(requests).toBeLessThanOrEqual(turn + 1 + 2);
  }
  expect(used.size).toBe(replicaOperations.length);
  expect((await client.status()).requests.used).toBe(requests);
});
