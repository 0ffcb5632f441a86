import { expect, it } from 'vitest';
import { RateBudget } from '../../src/session/rate-budget/rate-budget.ts';
import { MemoryStore, SharedMemory } from '../../src/store/memory-store.ts';
import { converse } from './conversation.helper.ts';
import { startHolding } from './holding.helper.ts';

it('a conversation of 12 turns and 60 calls needs one request per turn and one more, and all results are right', async () => {
  const started = await startHolding();
  const requests = await converse([started.client], started, 1);
  expect((await started.client.status()).requests.used).toBe(requests);
});

it('split over eight processes that share a state, it needs at most two requests more', async () => {
  const started = await startHolding();
  const { connect, clock, service } = started;
  const memory = new SharedMemory();
  const clients = Array.from({ length: 8 }, () => {
    const store = new MemoryStore(clock, memory);
    return connect(service.accessToken, {
      store: async () => store,
      rateBudget: () => new RateBudget({ clock, store }),
    });
  });
  const requests = await converse(clients, started, 3);
  expect((await clients[0]?.status())?.requests.used).toBe(requests);
});
