/**
 * The fields of answers whose form depends on the interface's version (docs/interface.md, Amounts and Versioning), by
 * the key of the data. Data only. Keys and fields that are missing here are answered as the ledger has them.
 */

interface AmountField {
  readonly field: string;
  /** The field with the amount as a text in the currency's format. */
  readonly formatted: string;
  /** The field with the amount as a number of currency units. */
  readonly currency: string;
}

export interface EntityForm {
  readonly amounts: readonly AmountField[];
  /** Fields that 1.77 does not have. */
  readonly newerFields: readonly string[];
  /** The fields that are other entities, or lists of them. */
  readonly parts: Readonly<Record<string, EntityForm>>;
}

interface EntityFields {
  readonly amounts?: readonly string[];
  readonly newerFields?: readonly string[];
  readonly parts?: Readonly<Record<string, EntityForm>>;
}

function entity({ amounts = [], newerFields = [], parts = {} }: EntityFields): EntityForm {
  return {
    amounts: amounts.map((field) => ({
      field,
      formatted: `${field}_formatted`,
      currency: `${field}_currency`,
    })),
    newerFields,
    parts,
  };
}

const internal = ['internal'];
const categoryFields = ['internal', 'goal_target_date'];

const account = entity({ amounts: ['balance', 'cleared_balance', 'uncleared_balance'] });

const category = entity({
  amounts: [
    'balance',
    'activity',
    'budgeted',
    'goal_target',
    'goal_under_funded',
    'goal_overall_funded',
    'goal_overall_left',
  ],
  newerFields: categoryFields,
});

const monthAmounts = ['income', 'budgeted', 'activity', 'to_be_budgeted'];
const withAmount = entity({ amounts: ['amount'] });
const transaction = entity({ amounts: ['amount'], parts: { subtransactions: withAmount } });
const budgetSummary = entity({ parts: { accounts: account } });

/** The export has amounts in milliunits only. */
const exportedCategory = entity({ newerFields: categoryFields });
const budgetExport = entity({
  parts: {
    category_groups: entity({ newerFields: internal }),
    categories: exportedCategory,
    months: entity({ parts: { categories: exportedCategory } }),
  },
});

export const forms: Readonly<Record<string, EntityForm>> = {
  budgets: budgetSummary,
  default_budget: budgetSummary,
  budget: budgetExport,
  accounts: account,
  account,
  category_groups: entity({ newerFields: internal, parts: { categories: category } }),
  category_group: entity({ newerFields: internal }),
  category,
  months: entity({ amounts: monthAmounts }),
  month: entity({ amounts: monthAmounts, parts: { categories: category } }),
  transactions: transaction,
  transaction,
  scheduled_transactions: transaction,
  scheduled_transaction: transaction,
  money_movements: withAmount,
};
