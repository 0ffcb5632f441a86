/** An undo of several steps whose process is killed at each point, and the process that goes on with it. */
import { expect, test } from 'vitest';
import { SharedMemory } from '../../../src/store/memory-store.ts';
import { hostOf } from '../../mcp/connected.helper.ts';
import { type Process, type Sharing, startSharing } from '../../session/sharing-processes.helper.ts';

const MAX_CALLS = 20;
/** A kill at every third point. `KILL_EVERY=1` kills at all of them. */
const KILL_EVERY = Number(process.env['KILL_EVERY'] ?? 3);
const KILLED = { text: 'killed', isError: true };
/** Three entries, of which one is a transfer. */
const ENTRIES = [{ amount: -1 }, { amount: -2, payee_name: 'Transfer : Savings' }, { amount: -3 }];

/** A host of a process. Its calls never end if the process is killed. */
async function hostWith({ passing, clock }: Sharing, { client, life }: Process) {
  const host = await hostOf({ client, clock }, { confirm: 'none' });
  const killed = new Promise<typeof KILLED>((resolve) => life.onKilled(() => resolve(KILLED)));
  return async (name: string, args: object = {}) => {
    const calling = host.callTool({ name, arguments: { ...args } }).then(({ content, isError }) => ({
      text: content.map((each) => (each.type === 'text' ? each.text : '')).join('\n'),
      isError: isError === true,
    }));
    return passing(Promise.race([killed, calling]));
  };
}

/** The entries are taken back, and after that the taking back is taken back: deletions one by one, and entries in one request. */
async function startEntered(sharing: Sharing) {
  const memory = new SharedMemory();
  const first = sharing.startProcess(memory, { cacheBytes: 2 ** 26 });
  const call = await hostWith(sharing, first);
  await call('list_accounts');
  const { coffee } = sharing;
  await call('create_transactions', {
    transactions: ENTRIES.map((each) => ({ ...coffee, memo: 'entered', ...each })),
  });
  const idOf = async (tool: string) =>
    new RegExp(`^(\\w+) · \\S+ · ${tool} · `, 'm').exec((await call('list_writes')).text)?.[1];
  const next = async () => hostWith(sharing, sharing.startProcess(memory, { cacheBytes: 2 ** 26 }));
  return { first, call, idOf, next };
}

test.each(['create_transactions', 'undo'])(
  'whatever the point of a kill, equal calls undo the rest of %s once, and say what was left',
  async (tool) => {
    const sharing = await startSharing();
    const entered = () =>
      sharing.ledger.transactions(undefined).filter(({ memo, deleted }) => memo === 'entered' && !deleted);
    const ends = new Set<string>();
    const wanted = tool === 'undo' ? 4 : 0;
    for (let killAt = 1; ; killAt += KILL_EVERY) {
      const { first, call, idOf, next } = await startEntered(sharing);
      if (tool === 'undo') await call('undo');
      const write = await idOf(tool);
      first.life.killAt = first.life.events.length + killAt;
      const end = await call('undo', { write });
      const before = entered().length;
      const goOn = end === KILLED ? await next() : call;
      let answer = end;
      for (let calls = 1; calls < MAX_CALLS && answer.isError; calls += 1) {
        if (/Left to do: (deletes|fields)/.test(answer.text)) ends.add('named');
        if (/was taken back already/.test(answer.text)) break;
        await sharing.pass(2_000);
        answer = await goOn('undo', { write });
      }
      const point = `${killAt}: ${first.life.events.at(-1)} ${answer.text}`;
      expect([point, entered().length, answer.isError]).toEqual([point, wanted, false]);
      if (end !== KILLED) break;
      ends.add(before === wanted ? 'all' : before === 4 - wanted ? 'none' : 'some');
      if (/^Undone already by your equal call/m.test(answer.text)) ends.add('repeated');
      // What is there after the run before is not in the way of the next.
      for (const { id } of entered()) await goOn('delete_transaction', { transaction_id: id });
    }
    // The entries are made in one request, and the other side of the transfer is changed after that.
    const some = tool === 'undo' ? [] : ['some'];
    expect(ends).toEqual(new Set(['all', 'none', 'named', 'repeated', ...some]));
  },
  300_000,
);
