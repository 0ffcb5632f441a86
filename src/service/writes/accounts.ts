/** The body that opens an account (specification, Account). The balance is what it starts with, today. */
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
