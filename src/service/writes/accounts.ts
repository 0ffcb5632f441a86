/** The body of a new account (docs/interface.md, Account). `balance` is the opening balance of today. */
import { milliunits, name, object, oneOf } from './fields.ts';

export const newAccountBody = object({
  account: object({
    name: name(),
    type: oneOf([
      'checking',
      'savings',
      'cash',
      'creditCard',
      'lineOfCredit',
      'otherAsset',
      'otherLiability',
      'mortgage',
      'autoLoan',
      'studentLoan',
      'personalLoan',
      'medicalDebt',
      'otherDebt',
    ]),
    balance: milliunits,
  }),
});
