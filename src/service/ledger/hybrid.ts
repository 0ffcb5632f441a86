/**
 * The rows of the lists by category and by payee: unsplit transactions and the legs of splits. A split itself is not
 * a row, so the amounts of a list add up to the amount spent. Pure functions.
 */
import type {
  HybridTransaction,
  SubTransaction,
  TransactionDetail,
  TransactionSummary,
} from '../resources.ts';

/**
 * A transaction without names of related entities and without legs, as in the export of a budget. The fields are
 * listed, because spreading an object without some fields is slow for a hundred thousand transactions.
 */
export function summaryOf(detail: TransactionDetail): TransactionSummary {
  return {
    id: detail.id,
    date: detail.date,
    amount: detail.amount,
    memo: detail.memo,
    cleared: detail.cleared,
    approved: detail.approved,
    flag_color: detail.flag_color,
    flag_name: detail.flag_name,
    account_id: detail.account_id,
    payee_id: detail.payee_id,
    category_id: detail.category_id,
    transfer_account_id: detail.transfer_account_id,
    transfer_transaction_id: detail.transfer_transaction_id,
    matched_transaction_id: detail.matched_transaction_id,
    import_id: detail.import_id,
    import_payee_name: detail.import_payee_name,
    import_payee_name_original: detail.import_payee_name_original,
    debt_transaction_type: detail.debt_transaction_type,
    deleted: detail.deleted,
  };
}

/** One row, or one for each leg. */
export function hybridsOf(detail: TransactionDetail): HybridTransaction[] {
  const legs = detail.subtransactions;
  return legs.length === 0 ? [hybridOf(detail)] : legs.map((leg) => hybridOf(detail, leg));
}

/** A leg without a payee gets the payee of its transaction. */
function hybridOf(detail: TransactionDetail, leg?: SubTransaction): HybridTransaction {
  const line = leg ?? detail;
  return {
    id: line.id,
    date: detail.date,
    amount: line.amount,
    memo: line.memo,
    cleared: detail.cleared,
    approved: detail.approved,
    flag_color: detail.flag_color,
    flag_name: detail.flag_name,
    account_id: detail.account_id,
    payee_id: line.payee_id ?? detail.payee_id,
    category_id: line.category_id,
    transfer_account_id: line.transfer_account_id,
    transfer_transaction_id: line.transfer_transaction_id,
    matched_transaction_id: detail.matched_transaction_id,
    import_id: detail.import_id,
    import_payee_name: detail.import_payee_name,
    import_payee_name_original: detail.import_payee_name_original,
    debt_transaction_type: detail.debt_transaction_type,
    deleted: line.deleted,
    type: leg === undefined ? 'transaction' : 'subtransaction',
    parent_transaction_id: leg === undefined ? null : detail.id,
    account_name: detail.account_name,
    payee_name: line.payee_id === null ? detail.payee_name : line.payee_name,
    category_name: line.category_name ?? undefined,
  };
}
