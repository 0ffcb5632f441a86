/** A host that enters transactions and takes them back, while answers of the service are lost. */
import { expect } from 'vitest';
import type { BudgetClientOptions } from '../../../src/session/budget-client.ts';
import { UNANSWERED } from '../../faulty-proxy.helper.ts';
import { startMoving } from '../moving.helper.ts';

const UNREADABLE = { deliveries: 0, answer: '503' } as const;

export async function startUndoing(options: Partial<BudgetClientOptions> = {}) {
  const started = await startMoving(options, {
    confirm: 'none',
    hasStatements: options.statementFiles !== undefined,
  });
  const { ledger, faults, beforeWrites } = started;
  const entries = () => ledger.transactions(undefined);
  const payment = () =>
    entries().find((row) => row.transfer_account_id === null && row.amount < 0) ?? expect.unreachable();
  const transfer = () =>
    entries().find((row) => row.transfer_transaction_id !== null) ?? expect.unreachable();
  const enter = (memo: string) =>
    started.call('create_transactions', {
      transactions: [{ account_id: 'Wallet', date: '2026-11-20', amount: -1, memo }],
    });
  const memos = () => entries().flatMap(({ memo }) => (memo?.startsWith('entry') ? [memo] : []));
  /** The next write arrives, but its response is lost and nothing can be read. */
  const loseNextWrite = () => {
    faults.writes.push(UNANSWERED);
    beforeWrites.push(() => faults.reads.push(...Array.from({ length: 200 }, () => UNREADABLE)));
  };
  const recover = () => {
    faults.reads.length = 0;
  };
  return { ...started, entries, payment, transfer, enter, memos, loseNextWrite, recover };
}
