/** Random sequences of writes, which are taken back from the last to the first. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { withoutNewPayees } from '../writable-state.helper.ts';
import { type Household, household } from '../writing-household.helper.ts';

/** Numbers by which a write chooses among what the budget has. */
interface Choice {
  readonly kind: number;
  readonly row: number;
  readonly other: number;
  readonly cents: number;
  readonly fields: number;
}

const choice: fc.Arbitrary<Choice> = fc.record({
  kind: fc.nat(11),
  // Often one of the first two, so that writes meet in the same row.
  row: fc.oneof(fc.nat(1), fc.nat(10_000)),
  other: fc.nat(10_000),
  cents: fc.integer({ min: -50_000, max: 50_000 }),
  fields: fc.nat(255),
});

const pick = <Row>(rows: readonly Row[], index: number): Row =>
  rows[index % rows.length] ?? expect.unreachable('there is one');

/** The fields of a transaction of which the bit is set. */
const some = (fields: object, bits: number) =>
  Object.fromEntries(Object.entries(fields).filter((_, index) => (bits >> index) & 1));

async function writeOf(
  it: Household,
  { kind, row, other, cents, fields }: Choice,
): Promise<[string, object]> {
  const { budget } = await it.direct(it.ledger.id).export();
  const accounts = budget.accounts.filter(({ closed }) => !closed);
  const groups = budget.category_groups.filter(({ name }) => !/Internal|Credit|Hidden/.test(name));
  const categories = budget.categories.filter((each) =>
    groups.some(({ id }) => id === each.category_group_id),
  );
  const payees = budget.payees.filter(
    ({ name, transfer_account_id }) => transfer_account_id === null && !name.includes('Balance'),
  );
  const transfers = accounts.flatMap(({ transfer_payee_id }) => transfer_payee_id ?? []);
  const transaction = () => pick(budget.transactions, row);
  const amount = cents / 100;
  const details = {
    category_id: pick(categories, other).id,
    memo: `memo ${other}`,
    flag_color: pick(['red', 'blue'], other),
    cleared: pick(['cleared', 'uncleared', 'reconciled'], other),
    approved: other % 2 === 0,
    payee_id: pick(fields % 3 === 0 ? transfers : payees.map(({ id }) => id), other),
  };
  const created = { account_id: pick(accounts, row).id, date: '2026-11-12', amount };
  const scheduled = () => pick(budget.scheduled_transactions, row);
  switch (kind) {
    case 0:
      return ['create_transactions', { transactions: [{ ...created, ...some(details, fields) }] }];
    case 1: {
      const legs = [
        { amount: 1 },
        { amount: amount - 1, ...some({ category_id: details.category_id, memo: 'leg' }, fields) },
      ];
      return ['create_transactions', { transactions: [{ ...created, subtransactions: legs }] }];
    }
    case 2:
      return ['delete_transaction', { transaction_id: transaction().id }];
    case 3:
      return [
        'update_transaction',
        {
          transaction_id: transaction().id,
          ...some({ ...details, amount, date: '2026-10-30' }, fields),
          ...(fields % 5 === 0 && { account_id: pick(accounts, other).id }),
        },
      ];
    case 4:
      return [
        'update_transaction',
        {
          transaction_id: transaction().id,
          clear: ['memo', 'category', 'payee', 'flag_color'].filter((_, index) => (fields >> index) & 1),
        },
      ];
    case 5:
      return [
        'update_transactions',
        {
          transactions: [0, 1, 2].map((step) => ({
            id: pick(budget.transactions, row + step).id,
            ...some(details, fields | 2),
          })),
        },
      ];
    case 6:
      return [
        'update_month_category',
        {
          month: pick(['2026-09', '2026-10', '2026-11'], row),
          category_id: pick(categories, other).id,
          budgeted: amount,
        },
      ];
    case 7:
      return [
        'update_category',
        {
          category_id: pick(categories, other).id,
          ...some({ name: `Category ${row}`, note: `note ${row}` }, fields | 1),
        },
      ];
    case 8:
      return ['update_payee', { payee_id: pick(payees, other).id, name: `Payee ${row}` }];
    case 9:
      return [
        'create_scheduled_transaction',
        {
          account_id: created.account_id,
          date: '2027-01-10',
          amount,
          frequency: pick(['monthly', 'never', 'weekly'], other),
        },
      ];
    case 10:
      return ['delete_scheduled_transaction', { scheduled_transaction_id: scheduled().id }];
    default:
      return [
        'update_scheduled_transaction',
        {
          scheduled_transaction_id: scheduled().id,
          account_id: scheduled().account_id,
          date: scheduled().date_next,
          ...some({ amount, memo: 'planned', frequency: 'yearly' }, fields),
        },
      ];
  }
}

const listed = z.object({ writes: z.array(z.object({ id: z.string(), problem: z.string().optional() })) });

/** Why a write cannot be taken back. Any other reason is an error. */
const limits =
  /made a split|was a split|leg of a split|cannot empty|changed nothing|matched with|categories of its legs/;

/** Why an undo is refused after another one has entered again what was deleted. */
const enteredAgain = /has been deleted since|deleted since and has another id now/;

it('undo after any sequence of writes brings back what was there, or says why not', async () => {
  let undone = 0;
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(choice, { minLength: 1, maxLength: 6 }), async (choices) => {
      const it = await household();
      const before = await it.state();
      const withoutNew = async () => withoutNewPayees(await it.state(), before.payees);
      let states = [before];
      for (const each of choices) {
        const [tool, args] = await writeOf(it, each);
        if ((await it.call(tool, args)).isError) continue;
        const { writes } = listed.parse((await it.call('list_writes', { limit: 1 })).structured);
        const problem = writes[0]?.problem;
        if (problem === undefined) {
          states.push(await withoutNew());
          continue;
        }
        expect(problem).toMatch(limits);
        states = [await withoutNew()];
      }
      for (const expected of states.slice(0, -1).reverse()) {
        const now = await it.state();
        const { isError, text } = await it.call('undo');
        if (isError) {
          expect(text).toMatch(enteredAgain);
          expect(await it.state()).toEqual(now);
          refused += 1;
          break;
        }
        expect(await withoutNew()).toEqual(expected);
        undone += 1;
      }
    }),
    {
      numRuns: 20,
      // A transfer that was sent to another account: its other side lost its category.
      examples: [[[{ kind: 3, row: 2209, other: 523, cents: 0, fields: 39 }]]],
    },
  );
  expect(undone).toBeGreaterThan(10);
  expect(refused).toBeLessThan(undone);
}, 600_000);
