/** A program that is killed at each request of an assignment over four categories, and the program that goes on with it. */
import { describe, expect, test } from 'vitest';
import { MAX_UNDELIVERED_MS } from '../../src/session/writes/pending-write.ts';
import type { Host } from '../hosts.helper.ts';
import { sqlite } from '../store/sqlite.helper.ts';
import { listed } from './marked-writes.helper.ts';
import type { Passage } from './passing-proxy.helper.ts';
import { pidOf, startSharing } from './sharing-programs.helper.ts';

const MONTH = '2026-11-01';
/** Milliunits. Two give, and two get. */
const AMOUNTS = {
  Groceries: 20_000,
  'Emergency Fund': -40_000,
  Pets: 40_000,
  Clothing: -20_000,
};
const ASSIGN = {
  amounts: Object.entries(AMOUNTS).map(([category, amount]) => ({ category, amount: amount / 1_000 })),
};
const WRITES = ASSIGN.amounts.length;
const MAX_CALLS = 100;

/** At which write, from 1. 0 is the read before the first one, and one more than there are is the read after the last one. */
const points = [
  { at: 0, isDelivered: false },
  ...ASSIGN.amounts.flatMap((_, index) => [
    { at: index + 1, isDelivered: false },
    { at: index + 1, isDelivered: true },
  ]),
  { at: WRITES + 1, isDelivered: true },
];

describe.skipIf(!sqlite)('an assignment over four categories whose program is killed', () => {
  test.each([
    ['the program that is started next', false],
    ['another program that runs already', true],
  ])(
    'at any request, is completed by %s: each category is written once, and one undo restores all',
    async (_, isRunning) => {
      const { clock, ledger, hooks, start } = await startSharing();
      const month = () => ledger.month(MONTH) ?? expect.unreachable();
      const budgeted = () =>
        Object.keys(AMOUNTS).map((name) => month().categories.find((each) => each.name === name)?.budgeted);
      const sum = () => month().budgeted + month().to_be_budgeted;
      const before = { budgeted: budgeted(), sum: sum() };
      const wanted = Object.values(AMOUNTS).map((amount, at) => (before.budgeted[at] ?? 0) + amount);
      const call = (host: Host, name: string, args = {}) => clock.passing(host.call(name, args), 1);
      /** The paths of the writes that were delivered. */
      const delivered: string[] = [];
      const deliver = ({ method, path, deliver }: Passage) => {
        if (method === 'PATCH') delivered.push(path);
        return deliver();
      };
      hooks.pass = deliver;
      let victim = await start();
      let other = isRunning ? await start() : undefined;

      // That a request was lost takes long to prove. `planned-steps.killed` has it for a program that runs, too.
      for (const point of points.filter(({ at, isDelivered }) => !isRunning || isDelivered || at === 0)) {
        const pid = pidOf(victim);
        clock.advance(MAX_UNDELIVERED_MS + 1_000);
        delivered.length = 0;
        let writes = 0;
        let isKilled = false;
        hooks.pass = async (passage) => {
          if (passage.method === 'PATCH') writes += 1;
          const isAt =
            passage.method === 'PATCH' ? writes === point.at : point.at === (writes === 0 ? 0 : writes + 1);
          if (isKilled || !isAt) return deliver(passage);
          isKilled = true;
          if (point.isDelivered) await deliver(passage);
          process.kill(pid, 'SIGKILL');
        };
        const lost = await call(victim, 'assign_money', ASSIGN).catch(() => undefined);
        hooks.pass = deliver;
        expect([point, isKilled, lost, sum()]).toEqual([point, true, undefined, before.sum]);

        const next = other ?? (await start());
        // A request that was lost is looked for until the service cannot have it any more.
        const again = () => clock.passing(next.call('assign_money', ASSIGN), 20);
        let answer = await again();
        for (let calls = 1; calls < MAX_CALLS && answer.isError; calls += 1) answer = await again();
        expect([point, answer.isError, answer.text]).toEqual([point, false, expect.any(String)]);
        expect({ point, budgeted: budgeted(), sum: sum() }).toEqual({
          point,
          budgeted: wanted,
          sum: before.sum,
        });
        expect([point, delivered.length, new Set(delivered).size]).toEqual([point, WRITES, WRITES]);

        const [latest] = listed(await call(next, 'list_writes', { limit: 1 }));
        expect(latest?.tool).toBe('assign_money');
        const undone = await call(next, 'undo', { write: latest?.id });
        expect([point, undone.isError, undone.text]).toEqual([point, false, expect.any(String)]);
        expect({ point, budgeted: budgeted(), sum: sum() }).toEqual({ point, ...before });
        victim = next;
        if (other) other = await start();
      }
    },
  );
});
