/**
 * The body of a new account (docs/interface.md, Account). `balance` is the opening balance of today. Since 1.80 accounts
 * can be created with six types only.
 */
import type { InterfaceVersion } from '../interface-version.ts';
import { milliunits, name, objectWithFields, oneOf } from './fields.ts';

const types = ['checking', 'savings', 'cash', 'creditCard', 'otherAsset', 'otherLiability'] as const;

const olderTypes = [
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
] as const;

const bodyOf185 = objectWithFields({
  account: objectWithFields({ name: name(), type: oneOf(types), balance: milliunits }),
});

const bodies = {
  '1.77': objectWithFields({
    account: objectWithFields({ name: name(), type: oneOf(olderTypes), balance: milliunits }),
  }),
  '1.85': bodyOf185,
  '1.86': bodyOf185,
};

export const newAccountBody = (version: InterfaceVersion) => bodies[version];
