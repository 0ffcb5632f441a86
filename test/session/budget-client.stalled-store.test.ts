/** Answers of a process whose store answers late, as Redis does after a stall. */

import { expect, test } from 'vitest';
import { listMoneyMovements } from '../../src/operations/money-movements.ts';
import { listTransactions } from '../../src/operations/transactions.ts';
import { RateBudget } from '../../src/session/rate-budget/rate-budget.ts';
import { MemoryStore, SharedMemory } from '../../src/store/memory-store.ts';
import { callOperation } from '../call-operation.helper.ts';
import { enterByHand } from '../service/running-service.helper.ts';
import { startSharing } from './sharing-processes.helper.ts';

/** With many requests left, an answer needs no sync up to this age. */
const BOUND_MS = 5_000;
const STALL_MS = 6_500;

/** A store of which one read takes long: the one with the number `stallAt` from now on, of those whose name has `stalling`. */
class StallingStore extends MemoryStore {
  stallAt = 0;
  stalling = '';
  readonly #wait: () => Promise<void>;

  constructor(memory: SharedMemory, ...[clock]: ConstructorParameters<typeof MemoryStore>) {
    super(clock, memory);
    this.#wait = () => clock.sleep(STALL_MS);
  }

  override async read(name: string): Promise<unknown> {
    if (name.includes(this.stalling)) {
      this.stallAt -= 1;
      if (this.stallAt === 0) await this.#wait();
    }
    return super.read(name);
  }
}

async function startStalling() {
  const { clock, startProcess, passing, ledger, service, coffee } = await startSharing();
  const memory = new SharedMemory();
  const start = () => {
    const store = new StallingStore(memory, clock);
    const { client } = startProcess(memory, {
      cacheBytes: 10_000_000,
      store: async () => store,
      rateBudget: (shared) => new RateBudget({ clock, store: shared, limit: 200 }),
    });
    return { store, client };
  };
  const enter = (amount: number) => enterByHand(service, ledger.id, { ...coffee, amount });
  return { clock, start, passing, enter };
}

test('whichever read of the store takes long, an answer has what was entered more than five seconds ago', async () => {
  const { clock, start, passing, enter } = await startStalling();
  const { store, client } = start();
  await passing(callOperation(client, listTransactions, { since_date: '2026-11-01' }));
  for (let stallAt = 1; ; stallAt += 1) {
    clock.advance(60_000);
    await passing(callOperation(client, listTransactions, { since_date: '2026-11-01' }));
    const amount = -1_000 - stallAt;
    await enter(amount);
    clock.advance(BOUND_MS);
    store.stallAt = stallAt;
    const { data, freshness } = await passing(
      callOperation(client, listTransactions, { since_date: '2026-11-01' }),
    );
    const isThere = data.transactions.some((row) => row.amount === amount);
    if (store.stallAt > 0) break;
    expect({ stallAt, isThere, freshness }).toMatchObject({ stallAt, isThere: true });
  }
});

test('an answer that another process has shared is not older when the store has given it late', async () => {
  const { clock, start, passing } = await startStalling();
  await passing(callOperation(start().client, listMoneyMovements, {}));
  const { store, client } = start();
  Object.assign(store, { stalling: 'answers', stallAt: 2 });
  const { freshness } = await passing(callOperation(client, listMoneyMovements, {}));
  expect([store.stallAt, Date.parse(freshness.as_of)]).toEqual([0, clock.now()]);
});
