import { describe, expect, test } from 'vitest';
import { listPayees } from '../../../src/operations/payees.ts';
import { addTransaction } from '../../../src/service/ledger/transactions.ts';
import { callOperation } from '../../call-operation.helper.ts';
import { NO_FAULT, REFUSED, UNANSWERED } from '../../faulty-proxy.helper.ts';
import { hostOf } from '../../mcp/connected.helper.ts';
import { startHolding } from '../../session/holding.helper.ts';
import { MONTH, startMoving } from '../moving.helper.ts';

const COVER = { rule: 'cover_overspent', from: 'Emergency Fund' };
/** Eight categories. Two give, and six get. */
const EIGHT = [
  { category: 'Groceries', amount: 10 },
  { category: 'Emergency Fund', amount: -40 },
  { category: 'Pets', amount: 5 },
  { category: 'Fuel', amount: 5 },
  { category: 'Clothing', amount: -20 },
  { category: 'Gifts', amount: 15 },
  { category: 'Hobbies', amount: 15 },
  { category: 'Streaming', amount: 10 },
];
const NAMES = EIGHT.map(({ category }) => category);

async function startAssigning(...started: Parameters<typeof startMoving>) {
  const moving = await startMoving(...started);
  const { call, budgeted, ready, ledger } = moving;
  const assign = (args: object) => call('assign_money', args);
  const amounts = () => NAMES.map(budgeted);
  const before = amounts();
  const readyBefore = ready();
  const changes = () => amounts().map((amount, at) => (amount - (before[at] ?? 0)) / 1_000);
  /** What is budgeted and what is ready to be assigned, in all. */
  const sum = () => {
    const month = ledger.month(MONTH) ?? expect.unreachable();
    return month.budgeted + month.to_be_budgeted;
  };
  return { ...moving, assign, changes, sum, before, readyBefore };
}

const wanted = EIGHT.map(({ amount }) => amount);
const UNCHANGED = EIGHT.map(() => 0);

describe('an assignment', () => {
  test('covers what is overspent by one write for each category, and one delta before and after them', async () => {
    const { assign, category, ready, sent, readyBefore, client } = await startAssigning();
    const left = (await client.status()).requests.left;
    const { text, structured, isError } = await assign(COVER);
    expect(isError, text).toBe(false);
    expect(text.split('\n').slice(1, 6)).toEqual([
      'Written.',
      'Assigned 68.83 to "Hobbies" in 2026-11, from "Emergency Fund".',
      '  "Emergency Fund": budgeted 2942.59 to 2873.76, left 9659.35 to 9590.52',
      '  "Hobbies": budgeted 47.00 to 115.83, left -68.83 to 0.00',
      'Ready to Assign in 2026-11: 50.66 now.',
    ]);
    expect(structured).toMatchObject({
      outcome: 'written',
      lacking: [],
      ready_to_assign: [{ month: MONTH, after: 50.66 }],
    });
    expect([category('Hobbies').balance, ready(), sent()]).toEqual([0, readyBefore, 2]);
    expect(left - (await client.status()).requests.left).toBe(4);
  });

  test('has nothing to do when it is called again, sends nothing, and says so', async () => {
    const { assign, sent } = await startAssigning();
    await assign(COVER);
    const { text, structured, isError } = await assign(COVER);
    expect([isError, structured, sent()]).toEqual([
      false,
      expect.objectContaining({ outcome: 'nothing_to_do' }),
      2,
    ]);
    expect(text).toContain('Nothing needs to be assigned in 2026-11.');
  });

  test('that ends at its limit says so, and not that there is too little money', async () => {
    const { assign } = await startAssigning();
    const { text, structured } = await assign({ rule: 'fund_goals', limit: 20, dry_run: true });
    expect(text).toContain('It would assign 20.00 to "Mortgage Payment" in 2026-11, from Ready to Assign.');
    expect(text).toContain('The limit is reached. Still lacking: ');
    expect(text).toContain('To assign more, give a higher `limit`.');
    expect(text).not.toContain('does not suffice');
    expect(structured).toMatchObject({ is_limited: true });
  });

  test('by amounts says what falls below zero in a later month only', async () => {
    const { assign } = await startAssigning();
    const later = await assign({ amounts: [{ category: 'Gifts', amount: -60 }], month: '2026-12' });
    expect(later.isError, later.text).toBe(false);
    const taken = await assign({ amounts: [{ category: 'Gifts', amount: -5 }] });
    expect(taken.text).toContain('Below zero in a later month by this: "Gifts".');
    expect(taken.text).not.toContain('Below zero by this');
  });

  test('that the money does not suffice for gives in the order of the budget, and names who got nothing', async () => {
    const { assign, ready, budgeted } = await startAssigning();
    const { text, structured } = await assign({ rule: 'fund_goals' });
    expect(text).toContain('Assigned 50.66 to "Mortgage Payment" in 2026-11, from Ready to Assign.');
    expect(text).toContain(
      'Still lacking: "Mortgage Payment" 1214.34. These got nothing: "Internet & Phone" 68.00',
    );
    expect(text).toContain('To assign more than there is, give these figures as `amounts`.');
    expect(structured).toMatchObject({
      lacking: [{ given: 50.66 }, { given: 0 }, ...Array.from({ length: 11 }, () => ({ given: 0 }))],
    });
    expect([ready(), budgeted('Mortgage Payment')]).toEqual([0, 50_660]);
  });

  test('that covers says what becomes of the cards, whose payment categories it leaves as they are', async () => {
    const { assign, setElsewhere, budgeted, pass } = await startAssigning();
    setElsewhere('Blue Card', -900_000);
    await pass(60_000);
    const { text, structured } = await assign(COVER);
    expect(text).toMatch(
      /Payment categories of cards are not covered: "Blue Card" -[\d.]+ before, -[\d.]+ now\. Covering/,
    );
    expect(structured).toMatchObject({ cards_below_zero: [{ name: 'Blue Card' }] });
    expect(budgeted('Blue Card')).toBe(-900_000);
  });

  test('by amounts lowers first, and undo without an id takes back the whole of it, lowering first too', async () => {
    const { assign, changes, beforeWrites, ready, call, sum } = await startAssigning({}, { confirm: 'none' });
    const total = sum();
    const seen: number[] = [];
    const watch = () => beforeWrites.push(...EIGHT.map(() => () => seen.push(ready())));
    watch();
    const { text, isError } = await assign({ amounts: EIGHT });
    expect(isError, text).toBe(false);
    expect([changes(), ready(), sum()]).toEqual([wanted, 50_660, total]);
    watch();
    const { text: listed } = await call('list_writes');
    expect(listed).toContain('· 1 write\n');
    const undone = await call('undo');
    expect(undone.isError, undone.text).toBe(false);
    expect([changes(), ready()]).toEqual([UNCHANGED, 50_660]);
    // The budget never showed more than there is.
    expect([seen.length, Math.min(...seen)]).toEqual([16, 50_660]);
  });

  test('in another month, or only for some categories and groups, changes nothing else', async () => {
    const { assign, budgeted, category } = await startAssigning();
    const before = budgeted('Hobbies');
    const { text } = await assign({
      rule: 'fund_goals',
      from: 'Emergency Fund',
      categories: ['Eating Out', 'Streaming'],
    });
    expect(text).toContain('Assigned 36.22 to 2 categories');
    expect([category('Streaming').goal_under_funded, budgeted('Hobbies')]).toEqual([0, before]);
    const earlier = category('Groceries', '2026-10-01').budgeted;
    await assign({ amounts: [{ category: 'Groceries', amount: 3 }], month: '2026-10' });
    expect(category('Groceries', '2026-10-01').budgeted).toBe(earlier + 3_000);
  });

  test('that was asked for by amounts may exceed what there is in a category, and says so', async () => {
    const { assign, ready } = await startAssigning();
    const { text } = await assign({
      amounts: [
        { category: 'Pets', amount: 100 },
        { category: 'Gifts', amount: -50 },
      ],
    });
    expect(text).toContain('Below zero by this: "Gifts".');
    expect(ready()).toBe(660);
  });
});

test.each<readonly [object, string]>([
  [{}, 'give rule or amounts'],
  [{ rule: 'fund_goals', amounts: [] }, 'give rule or amounts, not both'],
  [{ amounts: EIGHT, limit: 5 }, 'categories and limit need a rule'],
  [{ rule: 'fund_goals', months: 2 }, 'months needs a rule that averages'],
  [{ rule: 'fund_goals', limit: 0 }, 'limit must be more than 0'],
  [{ rule: 'average_spent', months: 25 }, 'months'],
  [{ amounts: [...EIGHT, { category: 'pets', amount: 1 }] }, 'amounts names a category twice'],
  [{ amounts: EIGHT, from: 'Pets' }, 'amounts names from, which gives the money'],
  [{ rule: 'fund_goals', month: '2026-12' }, 'does not have the month 2026-12 yet, and the service says'],
  [{ rule: 'repeat_last_month', month: '2027-12' }, 'month: 2027-12 is more than 12 months ahead'],
  [{ rule: 'repeat_last_month', month: '2019-01' }, 'month: the budget begins after 2019-01'],
  [{ amounts: [{ category: 'Inflow: Ready to Assign', amount: 1 }] }, 'nothing can be budgeted in it'],
])('%j is refused and sends nothing', async (args, problem) => {
  const { assign, sent } = await startAssigning();
  const { text, isError } = await assign(args);
  expect([isError, text, sent()]).toEqual([true, expect.stringContaining(problem), 0]);
});

describe('a month to come that the budget does not have yet', () => {
  const month = '2027-01';
  const rest = { month, amounts: EIGHT };

  test('is made by the first amount, and undo without an id takes back what was budgeted in it', async () => {
    const { assign, call, category, sent, ledger } = await startAssigning({}, { confirm: 'none' });
    expect(ledger.month(`${month}-01`)).toBeUndefined();
    const { text, isError } = await assign(rest);
    expect(isError, text).toBe(false);
    expect(text).not.toContain('at the same moment');
    const budgetedThen = () => NAMES.map((name) => category(name, `${month}-01`).budgeted / 1_000);
    expect([budgetedThen(), sent()]).toEqual([wanted, 8]);
    const undone = await call('undo');
    expect([undone.isError, budgetedThen()]).toEqual([false, UNCHANGED]);
  });

  test('gets what the last month had, from what is left at its end', async () => {
    const { assign, category, budgeted } = await startAssigning({}, { confirm: 'none' });
    const { text } = await assign({
      rule: 'repeat_last_month',
      month: '2026-12',
      from: 'Emergency Fund',
      categories: ['Pets', 'Groceries'],
    });
    expect(text).toContain('to 2 categories in 2026-12, from "Emergency Fund"');
    for (const name of ['Pets', 'Groceries'])
      expect(category(name, '2026-12-01').budgeted).toBe(budgeted(name));
    expect(category('Emergency Fund', '2026-12-01').budgeted).toBe(-budgeted('Pets') - budgeted('Groceries'));
  });

  test('is completed by an equal call after an interruption, before or after it was made', async () => {
    const { assign, category, faults, sum, sent } = await startAssigning();
    const total = sum();
    for (const writes of [[REFUSED], [NO_FAULT, NO_FAULT, REFUSED]]) {
      faults.writes.push(...writes);
      expect((await assign(rest)).isError).toBe(true);
    }
    const { text, isError } = await assign(rest);
    expect(isError, text).toBe(false);
    expect(NAMES.map((name) => category(name, `${month}-01`).budgeted / 1_000)).toEqual(wanted);
    expect([sum(), sent()]).toEqual([total, 10]);
  });
});

describe('rules', () => {
  test('averages are of months that are over, refunds off, and an empty month counts as zero', async () => {
    const { assign, ledger, pass } = await startAssigning();
    const id = (list: readonly { readonly id: string; readonly name: string }[], name: string) =>
      list.find((each) => each.name === name)?.id ?? expect.unreachable();
    const account_id = id(ledger.accounts(), 'Checking');
    const category_id = id(
      ledger.categoryGroups().flatMap(({ categories }) => categories),
      'Old Gym',
    );
    ledger.commit((state) => {
      for (const [date, amount] of [
        ['2026-10-05', -100_000],
        ['2026-10-06', 10_000],
        ['2026-11-05', -700_000],
      ] as const)
        addTransaction(state, { account_id, date, amount, category_id });
    });
    await pass(60_000);
    // A hidden category is named.
    const averages = {
      rule: 'average_spent',
      categories: ['Old Gym'],
      from: 'Emergency Fund',
      dry_run: true,
    };
    const of = async (args: object) => {
      const { structured } = await assign({ ...averages, ...args });
      return Object(structured).changes?.[1]?.budgeted_after;
    };
    expect([await of({ months: 1 }), await of({ months: 2 }), await of({})]).toEqual([90, 45, 30]);
    expect(await of({ categories: undefined })).toBeUndefined();
  });

  test('repeating the last month raises to what it had, and lowers nothing', async () => {
    const { assign, category, setElsewhere, pass } = await startAssigning();
    const last = category('Pets', '2026-10-01').budgeted;
    setElsewhere('Pets', 1_000);
    setElsewhere('Gifts', 900_000);
    await pass(60_000);
    const repeat = { rule: 'repeat_last_month', from: 'Emergency Fund', categories: ['Pets', 'Gifts'] };
    await assign(repeat);
    expect([category('Pets').budgeted, category('Gifts').budgeted]).toEqual([Math.max(last, 1_000), 900_000]);
  });
});

describe('consent', () => {
  test('more than 20 categories ask once, and the plan that was shown is carried out', async () => {
    const { assign, sent, ledger } = await startAssigning();
    const names = ledger.categoryGroups().filter(({ name }) => !/Internal|Card|Hidden/.test(name));
    const amounts = names
      .flatMap((group) => group.categories.map(({ id }) => ({ category: id, amount: 1 })))
      .slice(0, 21);
    const asked = await assign({ amounts });
    expect([asked.isError, sent()]).toEqual([true, 0]);
    expect(asked.text).toContain('It would assign 21,00€ to 21 categories in 2026-11');
    const { text, isError } = await assign({ amounts, confirm: true });
    expect(isError, text).toBe(false);
    expect(sent()).toBe(21);
  });

  test('no question is asked about nothing', async () => {
    const { assign } = await startAssigning({}, { confirm: 'writes' });
    const { structured } = await assign({ rule: 'average_spent', categories: ['Pets'] });
    expect(structured).toMatchObject({ outcome: 'nothing_to_do' });
  });
});

describe('an interrupted assignment', () => {
  test('says what stands and what does not, an equal call does the rest, and one undo restores all', async () => {
    const { assign, changes, faults, sent, call, sum } = await startAssigning({}, { confirm: 'none' });
    const total = sum();
    faults.writes.push(NO_FAULT, NO_FAULT, NO_FAULT, REFUSED);
    const { text, isError } = await assign({ amounts: EIGHT });
    expect(isError).toBe(true);
    expect(text).toContain(
      '3 of 8 categories of 2026-11 are written: "Emergency Fund" 2902.59, "Clothing" 36.00, "Groceries" 690.00. Not written: "Pets", "Fuel", "Gifts", "Hobbies", "Streaming".',
    );
    expect([changes().filter((each) => each !== 0).length, sum(), sent()]).toEqual([3, total, 4]);
    const preview = await assign({ amounts: EIGHT, dry_run: true });
    expect(preview.text).toContain('It goes on with the call that was interrupted.');
    expect(preview.text).toContain('It would assign 50.00 to 5 categories');
    const again = await assign({ amounts: EIGHT });
    expect(again.isError, again.text).toBe(false);
    expect([changes(), sum(), sent()]).toEqual([wanted, total, 9]);
    expect(again.text).toMatch(
      /^Written\.\nYour call of \S+, which was interrupted, has written 3 of these categories, and this one 5\. In all:\nAssigned 60\.00 to 6 categories/m,
    );
    expect(again.structured).toMatchObject({ changes: EIGHT.map(() => ({})) });
    expect((await call('list_writes')).text).toContain('· 1 write\n');
    const undone = await call('undo');
    expect(undone.isError, undone.text).toBe(false);
    expect(changes()).toEqual(UNCHANGED);
  });

  test('of more categories than are written unasked was confirmed when it began, and goes on', async () => {
    const { assign, faults, ledger, sum } = await startAssigning({}, { confirm: 'deletes' });
    const groups = ledger.categoryGroups().filter(({ name }) => !/^(Internal|Credit|Hidden)/.test(name));
    const ids = groups.flatMap(({ categories }) => categories.map(({ id }) => id)).slice(0, 22);
    expect(ids).toHaveLength(22);
    const total = sum();
    const args = { amounts: ids.map((category) => ({ category, amount: 1 })) };
    faults.writes.push(NO_FAULT, REFUSED);
    await assign(args);
    const first = await assign({ ...args, confirm: true });
    expect(first.text).toContain('1 of 22 categories of 2026-11 are written');
    const { isError, text } = await assign(args);
    expect(isError, text).toBe(false);
    expect(text).toContain('this one 21. In all:\nAssigned 22.00 to 22 categories');
    expect(sum()).toBe(total);
  });

  test('after a complete one, an equal call adds the amounts again', async () => {
    const { assign, changes } = await startAssigning();
    await assign({ amounts: EIGHT });
    await assign({ amounts: EIGHT });
    expect(changes()).toEqual(wanted.map((each) => 2 * each));
  });

  test('an interrupted one that was undone is computed anew', async () => {
    const { assign, changes, faults, call } = await startAssigning({}, { confirm: 'none' });
    faults.writes.push(NO_FAULT, NO_FAULT, REFUSED);
    await assign({ amounts: EIGHT });
    await call('undo');
    expect(changes()).toEqual(UNCHANGED);
    await assign({ amounts: EIGHT });
    expect(changes()).toEqual(wanted);
  });

  test('that an equal call goes on with is not undone by an undo that was planned before', async () => {
    const { assign, changes, faults, call, send, passing, beforeWrites } = await startAssigning(
      {},
      { confirm: 'none' },
    );
    faults.writes.push(NO_FAULT, NO_FAULT, REFUSED);
    await assign({ amounts: EIGHT });
    const [write] = Object((await call('list_writes')).structured).writes;
    let undoing: ReturnType<typeof send> | undefined;
    beforeWrites.push(() => {
      undoing = send('undo', { write: write.id });
    });
    const { isError, text } = await assign({ amounts: EIGHT });
    expect(isError, text).toBe(false);
    expect((await passing(undoing ?? expect.unreachable())).text).toContain(
      'What this would take back has changed since it was planned. This call undid nothing.',
    );
    expect(changes()).toEqual(wanted);
  });

  test('is finished once by two equal calls at the same time, and the other one says that all is written', async () => {
    const { changes, faults, assign, send, passing } = await startAssigning();
    faults.writes.push(NO_FAULT, NO_FAULT, REFUSED);
    await assign({ amounts: EIGHT });
    const both = [1, 2].map(() => send('assign_money', { amounts: EIGHT }));
    const [one, two] = await passing(Promise.all(both));
    const failed = [one, two].find((each) => each?.isError);
    expect([one?.isError, two?.isError].toSorted()).toEqual([false, true]);
    expect(failed?.text).toContain('another call has gone on with it, and all of it is written.');
    expect(changes()).toEqual(wanted);
  });

  test('that has nothing left to send stays open if its host is told to try again', async () => {
    const { assign, changes, faults, altering, clock, setElsewhere, before } = await startAssigning();
    faults.writes.push(...NAMES.slice(1).map(() => NO_FAULT), REFUSED);
    expect((await assign({ amounts: EIGHT })).isError).toBe(true);
    setElsewhere('Streaming', (before.at(-1) ?? 0) + 10_000);
    // The last read takes longer than the host waits.
    let deltas = 0;
    altering.answer = (path, body) => {
      if (path.includes('last_knowledge')) deltas += 1;
      if (deltas === 3) clock.advance(11_000);
      return body;
    };
    const late = await assign({ amounts: EIGHT });
    expect([late.isError, late.text]).toEqual([true, expect.stringMatching(/^This call changed nothing\./)]);
    const { text, isError } = await assign({ amounts: EIGHT });
    expect(isError, text).toBe(false);
    expect(text).not.toContain('Written');
    expect(text).toContain('has written 7 of these categories, and nothing was left for this one. In all:');
    expect(changes()).toEqual(wanted);
  });

  test('a write whose answer is lost counts when the budget shows it', async () => {
    const { assign, changes, faults, sent } = await startAssigning();
    faults.writes.push(NO_FAULT, UNANSWERED, NO_FAULT, UNANSWERED);
    const { structured } = await assign({ amounts: EIGHT });
    expect(structured).toMatchObject({ outcome: 'confirmed_afterwards' });
    expect([changes(), sent()]).toEqual([wanted, 8]);
  });

  test('what somebody else budgets in a category in between is kept, and told', async () => {
    const { assign, setElsewhere, budgeted, beforeWrites } = await startAssigning();
    const before = budgeted('Streaming');
    beforeWrites.push(() => setElsewhere('Streaming', before + 400));
    const { text } = await assign({ amounts: EIGHT });
    expect(text).toContain('Assigned 60.00 to 6 categories');
    expect(text).toContain('(10.00 of that by this)');
    expect(text).toContain('Somebody else has changed what is budgeted meanwhile: "Streaming".');
    expect(budgeted('Streaming')).toBe(before + 10_400);
  });

  test('a category that somebody changed in between is decided again, and gets no more than was planned', async () => {
    const { assign, setElsewhere, budgeted, category, beforeWrites } = await startAssigning();
    // Both lack something: 35.22 and 1.00.
    const goals = { rule: 'fund_goals', from: 'Emergency Fund', categories: ['Eating Out', 'Streaming'] };
    const eating = budgeted('Eating Out');
    // Just before the second write, which is that of the first category after the giving one.
    beforeWrites.push(
      () => {},
      () => setElsewhere('Streaming', budgeted('Streaming') + 400),
    );
    const { structured } = await assign(goals);
    expect(structured).toMatchObject({ may_have_replaced: true });
    expect(budgeted('Eating Out') - eating).toBe(35_220);
    expect(category('Streaming').goal_under_funded).toBe(0);
    expect(category('Streaming').budgeted).toBe(28_000);
  });
});

test('without the requests for all of it, nothing is sent, and the answer says how many are needed and left', async () => {
  const { client, clock, ledger } = await startHolding({}, { rateLimit: 14 });
  await callOperation(client, listPayees, {});
  const host = await hostOf({ client, clock });
  for (let left = 14; left > 8; left -= 1) await host.callTool({ name: 'refresh_budget', arguments: {} });
  const before = ledger.knowledge;
  const { content, isError } = await host.callTool({ name: 'assign_money', arguments: { amounts: EIGHT } });
  expect([isError, content]).toEqual([
    true,
    [
      expect.objectContaining({
        text: expect.stringMatching(
          /budgeted nothing: it needs 9 requests, and \d are left\. That many are free at 2026-11-21T13:/,
        ),
      }),
    ],
  ]);
  expect(ledger.knowledge).toBe(before);
});
