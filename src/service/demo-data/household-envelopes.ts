/**
 * The categories of the household, how they are budgeted, and their goals. Data only. Amounts in milliunits of a
 * euro.
 */
import type { GoalType } from '../ledger/records.ts';

export interface GoalPlan {
  readonly type: GoalType;
  readonly target: number;
  /** Months from the current one to the target month. */
  readonly in_months?: number;
  readonly needs_whole_amount?: boolean;
  readonly cadence?: number;
  readonly day?: number;
}

/** How a category is budgeted each month: `refill` tops it up to `monthly`, and `add` adds `monthly`. */
export interface EnvelopePlan {
  readonly name: string;
  readonly monthly: number;
  readonly fill: 'refill' | 'add';
  readonly goal?: GoalPlan;
  readonly note?: string;
  readonly hidden?: boolean;
}

const refill = (name: string, monthly: number, goal?: GoalPlan): EnvelopePlan => ({
  name,
  monthly,
  fill: 'refill',
  ...(goal && { goal }),
});
const add = (name: string, monthly: number, goal?: GoalPlan): EnvelopePlan => ({
  ...refill(name, monthly, goal),
  fill: 'add',
});
const monthlyNeed = (target: number, needs_whole_amount = false): GoalPlan => ({
  type: 'NEED',
  target,
  needs_whole_amount,
  cadence: 1,
});

/** The category that gets the money that is left each month. */
export const SURPLUS_ENVELOPE = 'Emergency Fund';

/** The category whose overspending is never covered. */
export const OVERSPENT_ENVELOPE = 'Hobbies';

export const GROUPS: Readonly<Record<string, readonly EnvelopePlan[]>> = {
  'Home 🏠': [
    refill('Mortgage Payment', 1_265_000, { type: 'DEBT', target: 1_265_000 }),
    refill('Electricity', 95_000, monthlyNeed(95_000)),
    refill('Water & Heating', 110_000),
    refill('Internet & Phone', 68_000, monthlyNeed(68_000, true)),
    refill('Household Goods', 80_000),
  ],
  Everyday: [
    refill('Groceries', 680_000, monthlyNeed(680_000)),
    refill('Eating Out', 190_000, { type: 'MF', target: 190_000 }),
    refill('Coffee & Bakery', 62_000, {
      type: 'NEED',
      target: 14_000,
      needs_whole_amount: false,
      cadence: 2,
      day: 6,
    }),
    refill('Public Transport', 98_000),
    refill('Clothing', 130_000),
  ],
  Family: [
    refill('Childcare', 410_000, { type: 'MF', target: 410_000 }),
    refill('School', 45_000),
    refill('Pocket Money', 40_000),
    refill('Pets', 60_000),
  ],
  Health: [refill('Pharmacy', 35_000), add('Doctor & Dentist', 30_000), refill('Sports Club', 54_000)],
  'Car & Travel': [
    refill('Fuel', 130_000),
    refill('Car Loan Payment', 265_000, { type: 'DEBT', target: 265_000 }),
    add('Car Insurance', 58_000, {
      type: 'NEED',
      target: 690_000,
      needs_whole_amount: true,
      cadence: 13,
      in_months: 4,
    }),
    add('Car Repairs', 45_000, { type: 'TB', target: 1_200_000 }),
    add('Holiday', 230_000, { type: 'TBD', target: 3_200_000, in_months: 8 }),
  ],
  'Fun & Giving': [
    refill('Streaming', 28_000, monthlyNeed(28_000, true)),
    refill('Apps & Cloud', 14_000),
    refill('Hobbies', 70_000),
    add('Gifts', 45_000, { type: 'MF', target: 60_000 }),
    refill('Charity', 25_000),
    { name: 'Old Gym', monthly: 0, fill: 'refill', hidden: true, note: 'Cancelled' },
  ],
  'Saving Up': [
    { ...add(SURPLUS_ENVELOPE, 0, { type: 'TB', target: 30_000_000 }), note: 'Four months of everything' },
    refill('Retirement', 200_000, { type: 'MF', target: 200_000 }),
    add('New Bicycle', 55_000, { type: 'TBD', target: 1_400_000, in_months: 5 }),
  ],
};
