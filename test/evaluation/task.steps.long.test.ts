/**
 * The tasks of several steps, carried out by plain requests. The figures of the answers are those of the service, while the
 * tasks compute theirs from rows.
 */
import { describe, expect, it } from 'vitest';
import { cancel, enter, milliunits } from './by-name.ts';
import { changesBetween } from './changes.ts';
import { startHousehold } from './households.ts';
import { judge } from './judge.ts';
import {
  account,
  activity,
  allOf,
  categoryOf,
  countAndCost,
  dearest,
  doing,
  enterSplit,
  isOdd,
  left,
  leftIn,
  move,
  ofGarage,
  payeeId,
  planned,
  type Row,
  receipt,
  removeOnly,
  rows,
  sendLessons,
  summer,
  type Turn,
  total,
  updateAll,
} from './steps-requests.helper.ts';
import type { Task } from './task.ts';
import { task as coverOverspent } from './tasks/steps-01-cover-overspent/task.ts';
import { task as fiveReceipts } from './tasks/steps-02-five-receipts/task.ts';
import { task as statement } from './tasks/steps-03-kontoauszug/task.ts';
import { task as garage } from './tasks/steps-04-garage-without-category/task.ts';
import { task as twoNames } from './tasks/steps-05-two-names-of-one-place/task.ts';
import { task as trip } from './tasks/steps-06-trip-by-flag/task.ts';
import { task as standingOrder } from './tasks/steps-07-dauerauftrag/task.ts';
import { task as threeParts } from './tasks/steps-08-shopping-in-three-parts/task.ts';
import { task as lastSummer } from './tasks/steps-09-last-summer/task.ts';
import { task as oneMoveBack } from './tasks/steps-10-one-of-two-moves-back/task.ts';
import { task as food } from './tasks/steps-11-lebensmittel/task.ts';
import { task as dearestYear } from './tasks/steps-12-dearest-year/task.ts';
import { units } from './truth.ts';

const plays: readonly (readonly [string, Task, readonly Turn[]])[] = [
  [
    'covers what is overspent',
    coverOverspent,
    [
      async (service) => {
        const holes = await Promise.all(['Hobbies', 'Fuel', 'Pets'].map((name) => left(service, name)));
        return [units(-holes.reduce((a, b) => a + b)), 'Hobbies'];
      },
      doing(async (service) => {
        for (const name of ['Hobbies', 'Fuel', 'Pets'])
          await move(service, 'Emergency Fund', name, -(await left(service, name)));
      }),
      leftIn('Emergency Fund'),
    ],
  ],
  [
    'enters receipts, corrects one and takes one back',
    fiveReceipts,
    [
      doing((service) =>
        enter(service, [
          receipt('Bean & Bloom', -4.2, 'Coffee & Bakery'),
          receipt('Old Mill Bakery', -6.15, 'Coffee & Bakery'),
          receipt('Sunflower Pharmacy', -18.35, 'Pharmacy'),
          receipt('Toy Tower', -27.9, 'Gifts'),
          receipt('Metro Tickets', -12, 'Public Transport'),
        ]),
      ),
      doing((service) =>
        updateAll(service, ({ amount }) => amount === -18_350, { amount: -13_850, date: '2026-11-17' }),
      ),
      doing((service) =>
        removeOnly(service, (row) => row.account_name === 'Wallet' && row.payee_name === 'Metro Tickets'),
      ),
      async (service) => {
        const { cleared_balance, uncleared_balance } = await account(service, 'Wallet');
        return [units(cleared_balance + uncleared_balance)];
      },
    ],
  ],
  [
    'compares a statement',
    statement,
    [
      async () => ['2026-11-16', '-17.45', '-11.08'],
      doing(async (service) => {
        const pharmacy = receipt('Apotheke Sonnenblume', -17.45, 'Apotheke');
        await enter(service, [{ ...pharmacy, account: 'Privatkonto', date: '2026-11-16' }]);
        await updateAll(service, ({ amount }) => amount === -17_450, { cleared: 'cleared' });
        const isMistyped = (row: Row) => row.payee_name === 'Saitenweise' && row.amount === -11_080;
        await updateAll(service, isMistyped, { amount: -11_800, cleared: 'cleared' });
      }),
      async (service) => {
        const { cleared_balance, uncleared_balance } = await account(service, 'Privatkonto');
        return [units(cleared_balance), units(uncleared_balance)];
      },
    ],
  ],
  [
    'finds and categorises bills',
    garage,
    [
      async (service) => countAndCost(await rows(service, ofGarage)),
      doing(async (service) => {
        const { id } = await categoryOf(service, 'Car Repairs');
        await updateAll(service, ofGarage, { category_id: id });
      }),
      async (service) => [
        units(await left(service, 'Car Repairs')),
        units(await activity(service, 'Car Repairs', allOf(2026, 11))),
      ],
    ],
  ],
  [
    'gives the bookings of one payee to another',
    twoNames,
    [
      async (service) =>
        countAndCost(await rows(service, (row) => isOdd(row) || row.payee_name === 'Trattoria Pomodoro')),
      doing(async (service) =>
        updateAll(service, isOdd, { payee_id: await payeeId(service, 'Trattoria Pomodoro') }),
      ),
      doing(async (service) =>
        service.send('PATCH', `payees/${await payeeId(service, 'Bistro Nord')}`, {
          payee: { name: 'Bistro Polar' },
        }),
      ),
      async (service) => [
        ...countAndCost(await rows(service, ({ payee_name }) => payee_name === 'Trattoria Pomodoro')),
        ...countAndCost(await rows(service, ({ payee_name }) => payee_name === 'Bistro Polar')),
      ],
    ],
  ],
  [
    'sums up a trip',
    trip,
    [
      async (service) => {
        const flagged = await rows(service, ({ flag_color }) => flag_color === 'purple', '2026-09-01');
        return [units(-total(flagged))];
      },
      doing(async (service) => {
        const flagged = await rows(service, ({ flag_color }) => flag_color === 'purple', '2026-09-01');
        await move(service, 'Holiday', 'Gifts', milliunits(500) + total(flagged));
      }),
      leftIn('Holiday', 'Gifts'),
    ],
  ],
  [
    'plans a payment',
    standingOrder,
    [
      doing((service) => sendLessons(service, '2026-11-25', -39_900)),
      doing(async (service) => {
        await cancel(service, 'Musikschule Allegro');
        await sendLessons(service, '2026-11-27', -44_900);
      }),
      planned('Privatkonto', 1),
      planned('Portemonnaie', 12),
    ],
  ],
  [
    'splits a purchase',
    threeParts,
    [
      doing((service) => enterSplit(service, { Groceries: -61_400, 'Household Goods': -25_000 })),
      doing(async (service) => {
        await removeOnly(service, ({ amount }) => amount === -86_400);
        await enterSplit(service, { Groceries: -48_900, 'Household Goods': -25_000, Pets: -12_500 });
      }),
      async (service) => {
        const inShop = await rows(service, (row) => row.payee_name === 'Greenleaf Market', '2026-11-01');
        const food = inShop.filter(({ category_name }) => category_name === 'Groceries');
        const rest = await leftIn('Groceries', 'Household Goods', 'Pets')(service);
        return [units(-total(inShop)), units(48_900 - total(food)), ...(rest ?? [])];
      },
    ],
  ],
  [
    'compares summers',
    lastSummer,
    [
      async (service) => [units(await activity(service, 'Eating Out', summer(2026)))],
      async (service) => [units(await activity(service, 'Eating Out', summer(2025)))],
      async (service) => [(units(await activity(service, 'Eating Out', summer(2025))) / 3).toFixed(2)],
      async (service) => {
        const last = await activity(service, 'Eating Out', summer(2025));
        const present = await activity(service, 'Eating Out', summer(2026));
        return [(units(present) / 3).toFixed(2), (units(last - present) / 3).toFixed(2)];
      },
    ],
  ],
  [
    'takes one of two moves back',
    oneMoveBack,
    [
      doing(async (service) => {
        await move(service, 'Holiday', 'Clothing', milliunits(60));
        await move(service, 'Holiday', 'Fuel', milliunits(40));
      }),
      doing((service) => move(service, 'Clothing', 'Holiday', milliunits(60))),
      leftIn('Clothing', 'Fuel', 'Holiday'),
    ],
  ],
  [
    'fills a category',
    food,
    [
      async (service) => {
        const october = await activity(service, 'Lebensmittel', ['2026-10']);
        const september = await activity(service, 'Lebensmittel', ['2026-09']);
        const rest = await leftIn('Lebensmittel')(service);
        return [units(october), units(october - september), ...(rest ?? [])];
      },
      doing(async (service) =>
        move(service, 'Ferien', 'Lebensmittel', milliunits(300) - (await left(service, 'Lebensmittel'))),
      ),
      async (service) => [...((await leftIn('Ferien')(service)) ?? []), 25],
    ],
  ],
  [
    'finds the dearest year',
    dearestYear,
    [
      async (service) => {
        const bills = await rows(service, ({ category_name }) => category_name === 'Car Repairs');
        return [...(await dearest(service)), units(Math.max(...bills.map(({ amount }) => -amount)))];
      },
      dearest,
      doing(async (service) => {
        const [, most] = await dearest(service);
        await move(service, 'Holiday', 'Car Repairs', milliunits(Math.round((most / 12) * 100) / 100));
      }),
      leftIn('Car Repairs'),
    ],
  ],
];

/** What the judge finds in a conversation. `sees`: the partner acts when the task says so, and not after the last turn. */
async function played(task: Task, turns: readonly Turn[], sees: boolean): Promise<readonly string[]> {
  const { direct, close, ...household } = await startHousehold(task.household);
  try {
    await task.prepare?.(direct);
    const before = await household.export();
    const answers: string[] = [];
    for (const [index, turn] of turns.entries()) {
      if (sees) await task.meanwhile?.[index]?.(direct);
      answers.push(`Result: ${(await turn(direct))?.join('; ') ?? 'done'}`);
    }
    if (!sees) for (const act of Object.values(task.meanwhile ?? {})) await act(direct);
    const changes = changesBetween(before, await household.export());
    return judge(task.expected(before), { changes, answers }, task.says.length).faults;
  } finally {
    await close();
  }
}

describe.each(plays)('a task of several steps %s', (_, task, turns) => {
  it('accepts figures of the service, and the changes that were asked for', async () => {
    expect(await played(task, turns, true)).toEqual([]);
  });

  it('is failed by those who do not see what the partner has changed', async () => {
    expect(await played(task, turns, false)).not.toEqual([]);
  });
});
