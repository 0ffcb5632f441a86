import { describe, expect, test } from 'vitest';
import { listPayees } from '../../../src/operations/payees.ts';
import { callOperation } from '../../call-operation.helper.ts';
import { DROPPED, NO_FAULT, REFUSED, UNANSWERED } from '../../faulty-proxy.helper.ts';
import { hostOf } from '../../mcp/connected.helper.ts';
import { startHolding } from '../../session/holding.helper.ts';
import { startMoving } from '../moving.helper.ts';

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
    expect(text).toContain(
      'It is not known whether "Groceries" has 630.00 budgeted in 2026-11, or still 680.00.',
    );
    expect(text).toContain('"Hobbies" was not changed.');
    expect([changes(), sent()]).toEqual([RELEASED, 1]);
  });
});

describe('the second write', () => {
  test('a move whose second write is refused takes the first one back', async () => {
    const { move, faults, changes, sent } = await startMoving();
    faults.writes.push(NO_FAULT, REFUSED);
    const { text, isError } = await move(COVER);
    expect(isError).toBe(true);
    expect(text).toMatch(/^This call changed nothing\. "Hobbies" was not changed: /);
    expect(text).toContain('"Groceries" was lowered first and has 680.00 budgeted again.');
    expect([changes(), sent()]).toEqual([UNTOUCHED, 3]);
  });

  test('a move whose second response is lost is written when the budget shows it', async () => {
    const { move, faults, changes, sent } = await startMoving();
    faults.writes.push(NO_FAULT, UNANSWERED);
    const { structured } = await move(COVER);
    expect(structured).toMatchObject({ outcome: 'confirmed_afterwards' });
    expect([changes(), sent()]).toEqual([MOVED, 2]);
  });

  test('a move whose second request is lost takes the first one back when that is proven', async () => {
    const { move, faults, changes, sent, pass, call } = await startMoving();
    faults.writes.push(NO_FAULT, DROPPED);
    const { text } = await move(COVER);
    expect(text).toContain('still being looked for');
    expect(changes()).toEqual(RELEASED);
    await pass(120_000);
    expect([changes(), sent()]).toEqual([UNTOUCHED, 3]);
    expect((await call('get_status')).text).toContain('move_budgeted');
    const { structured } = await move(COVER);
    expect(structured).toMatchObject({ outcome: 'written' });
    expect(changes()).toEqual(MOVED);
  });

  test('a move whose second write stays unknown is not taken back, and an equal call says what stands', async () => {
    const { move, faults, changes, sent, pass } = await startMoving();
    // Something in between may deliver it later.
    faults.writes.push(NO_FAULT, { deliveries: 0, answer: 'never' });
    await move(COVER);
    await pass(180_000);
    const { text, isError } = await move(COVER);
    expect(isError).toBe(true);
    expect(text).toContain(
      '"Groceries" was lowered from 680.00 to 630.00 budgeted in 2026-11: 50.00 became ready to be assigned.',
    );
    expect(text).toContain(
      'It is not known whether "Hobbies" has 97.00 budgeted in 2026-11, or still 47.00.',
    );
    expect([changes(), sent()]).toEqual([RELEASED, 2]);
  });
});

describe('taking the first write back', () => {
  test('a move that cannot be taken back says what stands', async () => {
    const { move, faults, changes, sent } = await startMoving();
    faults.writes.push(NO_FAULT, REFUSED, REFUSED);
    const { text, isError } = await move(COVER);
    expect(isError).toBe(true);
    expect(text).toMatch(
      /^"Groceries" was lowered from 680\.00 to 630\.00 budgeted in 2026-11: 50\.00 became/,
    );
    expect(text).toContain('"Hobbies" was not changed: ');
    expect(text).toContain('Taking it back: ');
    expect([changes(), sent()]).toEqual([RELEASED, 3]);
  });

  test('a move that was taken back by a write whose response is lost has changed nothing', async () => {
    const { move, faults, changes } = await startMoving();
    faults.writes.push(NO_FAULT, REFUSED, UNANSWERED);
    const { text } = await move(COVER);
    expect(text).toContain('has 680.00 budgeted again');
    expect(changes()).toEqual(UNTOUCHED);
  });

  test('an equal call after a move that was written in part returns what stands once, and sends nothing', async () => {
    const { move, faults, changes, sent, pass, call } = await startMoving();
    faults.writes.push(NO_FAULT, DROPPED, REFUSED);
    await move(COVER);
    await pass(120_000);
    expect((await call('get_status')).text).toContain('written in part');
    const again = await move(COVER);
    expect(again.text).toContain('an earlier equal call was carried out in part, and nothing was sent now');
    expect(again.text).toContain('50.00 became ready to be assigned');
    expect([changes(), sent()]).toEqual([RELEASED, 3]);
    const rest = await move({ ...COVER, from: 'Ready to Assign' });
    expect([rest.isError, changes()]).toEqual([false, MOVED]);
  });
});

describe('others who change the budget at the same time', () => {
  test('what somebody else budgets in the receiving category is kept and told', async () => {
    const { move, beforeWrites, setElsewhere, changes } = await startMoving();
    beforeWrites.push(() => setElsewhere('Hobbies', 57_000));
    const { text, structured } = await move(COVER);
    expect(structured).toMatchObject({
      to: { budgeted_before: 57, budgeted_after: 107, changed_meanwhile: true },
    });
    expect(text).toContain('Somebody else has changed what is budgeted in "Hobbies" at the same moment.');
    expect(changes()).toEqual([-50_000, 60_000, -10_000]);
  });

  test('a move whose changes cannot be read after the first write reads the budget again before the second', async () => {
    const { move, beforeWrites, setElsewhere, faults, changes } = await startMoving();
    beforeWrites.push(() => setElsewhere('Hobbies', 57_000));
    faults.reads.push(NO_FAULT, REQUEST_FAILS, REQUEST_FAILS, REQUEST_FAILS);
    const { structured } = await move(COVER);
    expect(structured).toMatchObject({ to: { budgeted_before: 57, budgeted_after: 107 } });
    expect(changes()).toEqual([-50_000, 60_000, -10_000]);
  });

  test('a move that cannot read the budget again before the second write takes the first one back', async () => {
    const { move, faults, changes, sent } = await startMoving();
    faults.reads.push(NO_FAULT, ...Array.from({ length: 6 }, () => REQUEST_FAILS));
    const { text } = await move(COVER);
    expect(text).toContain('has 680.00 budgeted again');
    expect([changes(), sent()]).toEqual([UNTOUCHED, 2]);
  });

  test('a change of the giving category just before it is lowered is told, because it was replaced', async () => {
    const { move, beforeWrites, setElsewhere } = await startMoving();
    beforeWrites.push(() => setElsewhere('Groceries', 700_000));
    const { text, structured } = await move(COVER);
    expect(structured).toMatchObject({ may_have_replaced: true });
    expect(text).toContain('this move has replaced it');
  });

  test('money that somebody else assigns after it was released is not assigned twice', async () => {
    const { move, setElsewhere, ready, budgeted, altering } = await startMoving();
    altering.answer = (path, body) => {
      if (path.includes('/months/') && budgeted('Pets') === 98_410) setElsewhere('Pets', 98_410 + ready());
      return body;
    };
    const { text, isError } = await move(COVER);
    expect([isError, text]).toEqual([true, expect.stringContaining('Somebody else has changed the budget')]);
    expect(text).toContain('"Groceries" was lowered from 680.00 to 630.00');
    expect(ready()).toBe(0);
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

test('a move that could not be taken back for want of requests is not begun', async () => {
  const { client, clock, ledger } = await startHolding({}, { rateLimit: 14 });
  await callOperation(client, listPayees, {});
  const host = await hostOf({ client, clock });
  for (let left = 14; left > 10; left -= 1) await host.callTool({ name: 'refresh_budget', arguments: {} });
  const before = ledger.knowledge;
  expect(await host.callTool({ name: 'move_budgeted', arguments: COVER })).toMatchObject({
    isError: true,
    content: [
      {
        text: expect.stringMatching(
          /^This call changed nothing\. This call moved nothing: it needs 10 requests, and \d are left\. That many are free at 2026-11-21T13:/,
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

test('a move that was taken back at once is listed as one that changed nothing', async () => {
  const { call, move, faults } = await startMoving();
  faults.writes.push(NO_FAULT, REFUSED);
  await move(COVER);
  const { text } = await call('list_writes');
  expect(text).toContain('move_budgeted · cannot be undone: it changed nothing');
});
