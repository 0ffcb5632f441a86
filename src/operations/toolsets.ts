/** The groups of tools that users can enable, in the order of the tool list. Settings know them without the operations. */
export const toolsetNames = [
  'user',
  'budgets',
  'accounts',
  'categories',
  'payees',
  'payee_locations',
  'months',
  'money_movements',
  'transactions',
  'scheduled',
  'reports',
] as const;

export type Toolset = (typeof toolsetNames)[number];
