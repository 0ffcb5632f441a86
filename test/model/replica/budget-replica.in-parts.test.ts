/** A budget in parts of a limited size, as it is written into the state. */
import { beforeAll, describe, expect, it } from 'vitest';
import { noRows } from '../../../src/base/schema/budget.ts';
import { BudgetReplica } from '../../../src/model/replica/budget-replica.ts';
import type { Export } from '../../../src/model/replica/entities.ts';
import { exportOfParts } from '../../../src/model/replica/join.ts';
import { leg } from '../../answers/samples.helper.ts';
import { smallLedger } from '../../service/ledger/random-changes.helper.ts';
import { inOrder } from '../../session/in-order.helper.ts';
import { directReader } from './service-reader.helper.ts';

const TODAY = '2026-01-20';

let whole: Export;

/** A budget with 2,500 transactions, of which three in different parts are splits, and 24 months. */
beforeAll(async () => {
  const { budget, server_knowledge } = await directReader(smallLedger()).export();
  const [row = expect.unreachable()] = budget.transactions;
  const [month = expect.unreachable()] = budget.months;
  const transactions = Array.from({ length: 2_500 }, (_, at) => ({ ...row, id: `transaction ${at}` }));
  const months = Array.from({ length: 24 }, (_, at) => ({
    ...month,
    month: `${2024 + Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, '0')}-01`,
  }));
  const subtransactions = [3, 1_500, 2_499].flatMap((at) =>
    ['one', 'other'].map((id) =>
      leg({
        id: `${id} leg of ${at}`,
        transaction_id: `transaction ${at}`,
        amount: row.amount / 2,
        category_id: null,
        category_name: null,
      }),
    ),
  );
  whole = { server_knowledge, budget: { ...budget, transactions, subtransactions, months } };
});

describe('a budget in parts', () => {
  it('its parts together are the budget', () => {
    const replica = BudgetReplica.load(whole, TODAY);
    const parts = exportOfParts([...replica.inParts()]);
    expect(inOrder(parts)).toEqual(inOrder(whole));
  });

  it('no part has more than a year of months or 1,000 transactions, and the last one has the rest', () => {
    const parts = [...BudgetReplica.load(whole, TODAY).inParts()];
    const counts = parts.map(({ budget }) => [
      budget.months.length,
      budget.transactions.length,
      budget.accounts.length,
    ]);
    expect(counts).toEqual([
      [12, 0, 0],
      [12, 0, 0],
      [0, 1_000, 0],
      [0, 1_000, 0],
      [0, 500, 0],
      [0, 0, whole.budget.accounts.length],
    ]);
  });

  it('its parts are the budget as it was at the first one, also if a delta is applied before the last one', () => {
    const replica = BudgetReplica.load(whole, TODAY);
    const parts = replica.inParts();
    const first = parts.next().value;
    const [transaction = expect.unreachable()] = whole.budget.transactions;
    const [account = expect.unreachable()] = whole.budget.accounts;
    const delta = {
      ...noRows,
      accounts: [{ ...account, name: 'Renamed' }],
      transactions: [{ ...transaction, memo: 'new' }],
    };
    replica.apply({ ...whole, budget: { ...whole.budget, ...delta } }, TODAY);
    expect(exportOfParts([first, ...parts])?.budget).toMatchObject({
      accounts: whole.budget.accounts,
      transactions: whole.budget.transactions,
    });
  });

  it('no parts are no budget', () => {
    expect(exportOfParts([])).toBeUndefined();
  });
});
