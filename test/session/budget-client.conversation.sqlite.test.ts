import { join } from 'node:path';
import { expect, it } from 'vitest';
import { RateBudget } from '../../src/session/rate-budget/rate-budget.ts';
import { openStore, sqlite, temporaryDirectory } from '../store/sqlite.helper.ts';
import { converse } from './conversation.helper.ts';
import { startHolding } from './holding.helper.ts';

it.skipIf(!sqlite)(
  'a conversation that is split over eight processes with one file needs at most two requests more than in one',
  async () => {
    const started = await startHolding();
    const { connect, clock, service } = started;
    const path = join(temporaryDirectory(), 'state.db');
    const clients = [];
    for (let process = 0; process < 8; process += 1) {
      const store = await openStore(path, clock);
      const rateBudget = () => new RateBudget({ clock, store });
      clients.push(connect(service.accessToken, { store: async () => store, rateBudget }));
    }
    const requests = await converse(clients, started, 3);
    expect((await clients[0]?.status())?.requests.used).toBe(requests);
  },
);
