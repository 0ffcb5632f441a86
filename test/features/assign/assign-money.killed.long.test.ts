/** An assignment over several categories whose process is killed at each point, and the process that goes on with it. */
import { expect, test } from 'vitest';
import { SharedMemory } from '../../../src/store/memory-store.ts';
import { DROPPED, type Fault, NO_FAULT, UNANSWERED } from '../../faulty-proxy.helper.ts';
import { hostOf } from '../../mcp/connected.helper.ts';
import { type Process, type Sharing, startSharing } from '../../session/sharing-processes.helper.ts';
import { MONTH } from '../moving.helper.ts';

const EIGHT = {
  Groceries: 10,
  'Emergency Fund': -40,
  Pets: 5,
  Fuel: 5,
  Clothing: -20,
  Gifts: 15,
  Hobbies: 15,
  Streaming: 10,
};
const FOUR = { Groceries: 10, 'Emergency Fund': -15, Clothing: -5, Gifts: 10 };
const MAX_CALLS = 20;
/** A kill at every third point, so that a run takes a third of the time. `KILL_EVERY=1` kills at all of them. */
const KILL_EVERY = Number(process.env['KILL_EVERY'] ?? 3);

/** A host of a process. Its calls never end if the process is killed. */
async function hostWith({ passing, clock }: Sharing, { client, life }: Process) {
  const host = await hostOf({ client, clock }, { confirm: 'none' });
  const killed = new Promise<'killed'>((resolve) => life.onKilled(() => resolve('killed')));
  return async (name: string, args: object = {}) => {
    const calling = host.callTool({ name, arguments: { ...args } }).then(({ content, isError }) => ({
      text: content.map((each) => (each.type === 'text' ? each.text : '')).join('\n'),
      isError: isError === true,
    }));
    return passing(Promise.race([killed, calling]));
  };
}

const faults: readonly (readonly [string, Readonly<Record<string, number>>, readonly Fault[]])[] = [
  ['no request is lost', EIGHT, []],
  ['the answer to the third write is lost', FOUR, [NO_FAULT, NO_FAULT, UNANSWERED]],
  ['the request of the third write is lost', FOUR, [NO_FAULT, NO_FAULT, DROPPED]],
];

const cases = faults
  .flatMap((fault) => [true, false].map((isRunning) => [...fault, isRunning] as const))
  // Each begins at another point, so that together they meet all of them.
  .map((each, index) => [...each, 1 + (index % KILL_EVERY)] as const);

test.each(cases)(
  'whatever the point of a kill, an equal call does the rest once, and one undo restores all: %s',
  async (_, amounts, writeFaults, isRunning, firstKill) => {
    const assign = { amounts: Object.entries(amounts).map(([category, amount]) => ({ category, amount })) };
    const sharing = await startSharing();
    const { ledger, sent, pass } = sharing;
    const month = () => ledger.month(MONTH) ?? expect.unreachable();
    const budgeted = () =>
      Object.keys(amounts).map(
        (name) => month().categories.find((each) => each.name === name)?.budgeted ?? expect.unreachable(),
      );
    const before = budgeted();
    const sum = month().budgeted + month().to_be_budgeted;
    const wanted = Object.values(amounts).map((amount, at) => (before[at] ?? 0) + amount * 1_000);
    const ends = new Set<string>();
    const isDropped = writeFaults.at(-1) === DROPPED;
    for (let killAt = firstKill; ; killAt += KILL_EVERY) {
      const memory = new SharedMemory();
      const first = sharing.startProcess(memory, { cacheBytes: 2 ** 26 });
      const callFirst = await hostWith(sharing, first);
      const other = isRunning ? sharing.startProcess(memory, { cacheBytes: 2 ** 26 }) : undefined;
      const callOther = other && (await hostWith(sharing, other));
      await callOther?.('list_accounts');
      await callFirst('list_accounts');
      first.life.killAt = first.life.events.length + killAt;
      sharing.faults.writes = [...writeFaults];
      const sentBefore = sent();
      const end = await callFirst('assign_money', assign);
      if (end !== 'killed') {
        // That a request is lost is proven later than the host waits.
        if (isDropped) expect(end.text).toContain('It is still being looked for.');
        else expect([killAt, end]).toEqual([killAt, expect.objectContaining({ isError: false })]);
        break;
      }
      const isLost = sharing.faults.writes.length === 0 && isDropped;
      sharing.faults.writes = [];
      const point = `${killAt}: ${first.life.events.at(-1)}`;
      expect([point, month().budgeted + month().to_be_budgeted]).toEqual([point, sum]);
      const written = budgeted().filter((amount, at) => amount !== before[at]).length;

      const call =
        callOther ?? (await hostWith(sharing, sharing.startProcess(memory, { cacheBytes: 2 ** 26 })));
      let answer = await call('assign_money', assign);
      for (let calls = 1; calls < MAX_CALLS && (answer === 'killed' || answer.isError); calls += 1) {
        await pass(2_000);
        answer = await call('assign_money', assign);
      }
      expect([point, answer]).toEqual([point, expect.objectContaining({ isError: false })]);
      const listed = await call('list_writes');
      const id = /^([\da-f]{8}) · .* assign_money/m.exec(listed === 'killed' ? '' : listed.text)?.[1];
      expect({
        point,
        budgeted: budgeted(),
        sum: month().budgeted + month().to_be_budgeted,
        sent: sent() - sentBefore,
        listed: listed === 'killed' ? '' : listed.text.split('\n')[0],
      }).toEqual({
        point,
        budgeted: wanted,
        sum,
        // Each category once. A request that was lost is sent again.
        sent: wanted.length + (isLost ? 1 : 0),
        listed: 'Budget "Household" (EUR) · 1 write',
      });
      const undone = await call('undo', { write: id });
      expect([point, undone, budgeted()]).toEqual([
        point,
        expect.objectContaining({ isError: false }),
        before,
      ]);
      ends.add(written === 0 ? 'none' : written === wanted.length ? 'all' : 'some');
    }
    expect(ends).toEqual(new Set(['none', 'some', ...(isDropped ? [] : ['all'])]));
  },
  300_000,
);
