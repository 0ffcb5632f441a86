/** The body of a new account (docs/interface.md, Account). `balance` is the opening balance of today. */
import { milliunits, name, objectWithFields, oneOf } from './fields.ts';

export const newAccountBody = objectWithFields({
  account: objectWithFields({
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
