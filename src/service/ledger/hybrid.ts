/**
 * The rows of the lists by category and by payee: unsplit transactions and the legs of splits, never a split
 * itself, so that the amounts of a list add up to what was spent. Pure.
 */
import type {
  HybridTransaction,
  SubTransaction,
  TransactionDetail,
  TransactionSummary,
} from '../resources.ts';

/**
 * A transaction without joined names and without legs, as in a budget's export. Spelled out like the
 * rows below, because copying all but some fields is slow, and a budget may have a hundred thousand of them.
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

/** A leg without a payee has that of its transaction. */
function hybridOf(detail: TransactionDetail, leg?: SubTransaction): HybridTransaction {
  const leaf = leg ?? detail;
  return {
    id: leaf.id,
    date: detail.date,
    amount: leaf.amount,
    memo: leaf.memo,
    cleared: detail.cleared,
    approved: detail.approved,
    flag_color: detail.flag_color,
    flag_name: detail.flag_name,
    account_id: detail.account_id,
    payee_id: leaf.payee_id ?? detail.payee_id,
    category_id: leaf.category_id,
    transfer_account_id: leaf.transfer_account_id,
    transfer_transaction_id: leaf.transfer_transaction_id,
    matched_transaction_id: detail.matched_transaction_id,
    import_id: detail.import_id,
    import_payee_name: detail.import_payee_name,
    import_payee_name_original: detail.import_payee_name_original,
    debt_transaction_type: detail.debt_transaction_type,
    deleted: leaf.deleted,
    type: leg === undefined ? 'transaction' : 'subtransaction',
    parent_transaction_id: leg === undefined ? null : detail.id,
    account_name: detail.account_name,
    payee_name: leaf.payee_id === null ? detail.payee_name : leaf.payee_name,
    category_name: leaf.category_name,
  };
}
