import { describe, expect, test } from 'vitest';
import { listPayees } from '../../../src/operations/payees.ts';
import { SharedMemory } from '../../../src/store/memory-store.ts';
import { callOperation } from '../../call-operation.helper.ts';
import { DROPPED, NO_FAULT, REFUSED, UNANSWERED } from '../../faulty-proxy.helper.ts';
import { hostOf } from '../../mcp/connected.helper.ts';
import { startHolding } from '../../session/holding.helper.ts';
import { startSharing } from '../../session/sharing-processes.helper.ts';
import { MONTH, startMoving } from '../moving.helper.ts';

const COVER = { from: 'Groceries', to: 'Hobbies', amount: 50 };
const MOVED = [-50_000, 50_000, 0];
const UNTOUCHED = [0, 0, 0];
/** The first write stands, and the second does not. */
const RELEASED = [-50_000, 0, 50_000];

const REQUEST_FAILS = { deliveries: 0, answer: '503' } as const;

describe('the first write', () => {
  test('a move whose first write is refused changes nothing', async () => {
    const { move, faults, changes, sent } = await startMoving();
    faults.writes.push(REFUSED);
    const { text, isError } = await move(COVER);
    expect([isError, text]).toEqual([true, expect.stringMatching(/^This call changed nothing\. /)]);
    expect([changes(), sent()]).toEqual([UNTOUCHED, 1]);
  });

  test('a move whose first response is lost goes on when the budget shows the write', async () => {
    const { move, faults, changes, sent } = await startMoving();
    faults.writes.push(UNANSWERED);
    const { text, structured, isError } = await move(COVER);
    expect(isError, text).toBe(false);
    expect(structured).toMatchObject({ outcome: 'confirmed_afterwards', to: { left_after: -18.83 } });
    expect([changes(), sent()]).toEqual([MOVED, 2]);
  });

  test('a move whose first request is lost raises nothing, and an equal call makes it', async () => {
    const { move, faults, changes, sent, pass } = await startMoving();
    faults.writes.push(DROPPED);
    const { text, isError } = await move(COVER);
    expect([isError, text]).toEqual([true, expect.stringContaining('still being looked for')]);
    await pass(60_000);
    expect([changes(), sent()]).toEqual([UNTOUCHED, 1]);
    const { structured } = await move(COVER);
    expect(structured).toMatchObject({ outcome: 'written' });
    expect(structured).not.toHaveProperty('earlier_call');
    expect([changes(), sent()]).toEqual([MOVED, 3]);
  });

  test('a move whose first write stays unknown raises nothing and says what is not known', async () => {
    const { move, faults, changes, sent, pass } = await startMoving();
    faults.writes.push(UNANSWERED);
    faults.reads.push(NO_FAULT, ...Array.from({ length: 60 }, () => REQUEST_FAILS));
    await move(COVER);
    await pass(120_000);
    faults.reads.length = 0;
    const { text, isError } = await move(COVER);
    expect(isError).toBe(true);
    expect(text).toContain('It is not known whether "Groceries" has 630.00 budgeted, or still 680.00.');
    expect(text).toContain('Not written: "Hobbies".');
    expect([changes(), sent()]).toEqual([RELEASED, 1]);
  });
});

describe('the second write', () => {
  test('a move whose second write is refused says what stands, and undo takes it back', async () => {
    const { move, faults, changes, sent, call } = await startMoving({}, { confirm: 'none' });
    faults.writes.push(NO_FAULT, REFUSED);
    const { text, isError } = await move(COVER);
    expect(isError).toBe(true);
    expect(text).toContain(
      '1 of 2 categories of 2026-11 are written: "Groceries" 630.00. Not written: "Hobbies".',
    );
    expect(text).toContain(
      '50.00 of "Groceries" in 2026-11 is ready to be assigned now, and "Hobbies" did not get it.',
    );
    expect([changes(), sent()]).toEqual([RELEASED, 2]);
    const undone = await call('undo');
    expect(undone.isError, undone.text).toBe(false);
    expect(changes()).toEqual(UNTOUCHED);
  });

  test('a move whose second response is lost is written when the budget shows it', async () => {
    const { move, faults, changes, sent } = await startMoving();
    faults.writes.push(NO_FAULT, UNANSWERED);
    const { structured } = await move(COVER);
    expect(structured).toMatchObject({ outcome: 'confirmed_afterwards' });
    expect([changes(), sent()]).toEqual([MOVED, 2]);
  });

  test('a move whose second request is lost is written in part when that is proven, and an equal call returns it once', async () => {
    const { move, faults, changes, sent, pass, call } = await startMoving();
    faults.writes.push(NO_FAULT, DROPPED);
    const { text } = await move(COVER);
    expect(text).toContain('still being looked for');
    await pass(120_000);
    expect([changes(), sent()]).toEqual([RELEASED, 2]);
    expect((await call('get_status')).text).toContain('written in part');
    const again = await move(COVER);
    expect(again.text).toContain('an earlier equal call was carried out in part, and nothing was sent now');
    expect(again.text).toContain('"Groceries" 630.00. Not written: "Hobbies".');
    expect([changes(), sent()]).toEqual([RELEASED, 2]);
    const rest = await move({ ...COVER, from: 'Ready to Assign' });
    expect([rest.isError, changes()]).toEqual([false, MOVED]);
  });

  test('a move whose second write stays unknown says what stands', async () => {
    const { move, faults, changes, sent, pass } = await startMoving();
    // Something in between may deliver it later.
    faults.writes.push(NO_FAULT, { deliveries: 0, answer: 'never' });
    await move(COVER);
    await pass(180_000);
    const { text, isError } = await move(COVER);
    expect(isError).toBe(true);
    expect(text).toContain('1 of 2 categories of 2026-11 are written: "Groceries" 630.00.');
    expect(text).toContain('It is not known whether "Hobbies" has 97.00 budgeted, or still 47.00.');
    expect([changes(), sent()]).toEqual([RELEASED, 2]);
  });
});

describe('others who change the budget at the same time', () => {
  test('what somebody else budgets in the receiving category is kept and told', async () => {
    const { move, beforeWrites, setElsewhere, changes } = await startMoving();
    beforeWrites.push(() => setElsewhere('Hobbies', 57_000));
    const { text, structured } = await move(COVER);
    expect(structured).toMatchObject({
      to: { budgeted_before: 47, budgeted_after: 107, changed_meanwhile: true },
    });
    expect(text).toContain('Somebody else has changed what is budgeted in "Hobbies" at the same moment.');
    expect(changes()).toEqual([-50_000, 60_000, -10_000]);
  });

  test('a move that cannot read the budget again before the second write says what stands', async () => {
    const { move, beforeWrites, setElsewhere, faults, changes, sent } = await startMoving();
    beforeWrites.push(() => setElsewhere('Hobbies', 57_000));
    faults.reads.push(NO_FAULT, ...Array.from({ length: 6 }, () => REQUEST_FAILS));
    const { text } = await move(COVER);
    expect(text).toContain('"Groceries" 630.00. Not written: "Hobbies".');
    expect([changes(), sent()]).toEqual([[-50_000, 10_000, 40_000], 1]);
  });

  test('a move whose changes cannot be read at its end says what the answers of the service said', async () => {
    const { move, faults, changes } = await startMoving();
    faults.reads.push(NO_FAULT, ...Array.from({ length: 6 }, () => REQUEST_FAILS));
    const { text, structured } = await move(COVER);
    expect(text).toContain('"Hobbies": -68.83 left before, -18.83 now.');
    expect(structured).toMatchObject({ from: { budgeted_after: 630, left_after: 32.01 } });
    expect(changes()).toEqual(MOVED);
  });

  test('a change of the giving category just before it is lowered is told, because it was replaced', async () => {
    const { move, beforeWrites, setElsewhere } = await startMoving();
    beforeWrites.push(() => setElsewhere('Groceries', 700_000));
    const { text, structured } = await move(COVER);
    expect(structured).toMatchObject({ may_have_replaced: true });
    expect(text).toContain('this move has replaced it');
  });

  test('two moves of one host at the same time take from one category one after the other', async () => {
    const { send, passing, changes, budgeted } = await startMoving();
    const pets = budgeted('Pets');
    const both = await passing(
      Promise.all([
        send('move_budgeted', COVER),
        send('move_budgeted', { from: 'Groceries', to: 'Pets', amount: 30 }),
      ]),
    );
    expect(both.map(({ isError }) => isError)).toEqual([false, false]);
    expect(changes()).toEqual([-80_000, 50_000, 0]);
    expect(budgeted('Pets') - pets).toBe(30_000);
  });
});

test('a move without the requests for all of it is not begun', async () => {
  const { client, clock, ledger } = await startHolding({}, { rateLimit: 4 });
  await callOperation(client, listPayees, {});
  const host = await hostOf({ client, clock });
  const before = ledger.knowledge;
  expect(await host.callTool({ name: 'move_budgeted', arguments: COVER })).toMatchObject({
    isError: true,
    content: [
      {
        text: expect.stringMatching(
          /^This call changed nothing\. This call budgeted nothing: it needs 3 requests, and \d are left\. That many are free at 2026-11-21T13:/,
        ),
      },
    ],
  });
  expect(ledger.knowledge).toBe(before);
});

test('a move that its host cancels after the first write is completed, and an equal call returns its outcome', async () => {
  const { host, move, passing, faults, changes, sent, pass } = await startMoving();
  const cancelling = new AbortController();
  faults.writes.push(UNANSWERED);
  const call = host.callTool({ name: 'move_budgeted', arguments: COVER }, { signal: cancelling.signal });
  const failed = expect(call).rejects.toThrow();
  while (sent() === 0) await pass(0);
  cancelling.abort();
  await passing(failed);
  await pass(60_000);
  expect(changes()).toEqual(MOVED);
  const again = await move(COVER);
  expect(again.text).toContain('Written already by your equal call');
  expect(again.text).toContain('"Hobbies": -68.83 left before, -18.83 now.');
  expect([changes(), sent()]).toEqual([MOVED, 2]);
});

describe('after a kill during the second write', () => {
  /** The process of the first call is killed when its second request arrives. */
  async function moveAfterKill(fault: typeof DROPPED) {
    const sharing = await startSharing();
    const { clock, passing, pass, faults, onWrite, ledger } = sharing;
    const budgeted = () =>
      ['Groceries', 'Hobbies'].map(
        (name) => ledger.month(MONTH)?.categories.find((each) => each.name === name)?.budgeted ?? 0,
      );
    const before = budgeted();
    const memory = new SharedMemory();
    const start = async () => {
      const started = sharing.startProcess(memory, { cacheBytes: 2 ** 26 });
      return { ...started, host: await hostOf({ client: started.client, clock }) };
    };
    const first = await start();
    faults.writes.push(NO_FAULT, fault);
    onWrite.push(
      () => {},
      () => first.life.kill(),
    );
    const killed = new Promise<void>((resolve) => first.life.onKilled(resolve));
    first.host.callTool({ name: 'move_budgeted', arguments: COVER }).catch(() => {});
    await passing(killed);
    const { host } = await start();
    await passing(host.callTool({ name: 'get_status', arguments: {} }));
    await pass(120_000);
    const { content } = await passing(host.callTool({ name: 'move_budgeted', arguments: COVER }));
    const text = content.map((each) => (each.type === 'text' ? each.text : '')).join('\n');
    return { text, changes: budgeted().map((amount, at) => amount - (before[at] ?? 0)) };
  }

  test('an equal call names the amount that lies in Ready to Assign, if that write was not carried out', async () => {
    const { text, changes } = await moveAfterKill(DROPPED);
    expect(text).toContain('an earlier equal call was carried out in part, and nothing was sent now');
    expect(text).toContain(
      '50.00 of "Groceries" in 2026-11 is ready to be assigned now, and "Hobbies" did not get it. A move from Ready to Assign gives it that',
    );
    expect(changes).toEqual([-50_000, 0]);
  });

  test('an equal call says that all is done, if that write was carried out', async () => {
    const { text, changes } = await moveAfterKill(UNANSWERED);
    expect(text).toMatch(
      /^Written already by your equal call of .*\nMoved 50\.00 from "Groceries" to "Hobbies"/m,
    );
    expect(changes).toEqual([-50_000, 50_000]);
  });
});
