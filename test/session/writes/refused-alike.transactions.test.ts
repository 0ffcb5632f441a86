import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TransactionRecord } from '../../../src/service/ledger/records.ts';
import { startWritingService, UNKNOWN, type WritingService } from '../../service/writes/writing.helper.ts';
import {
  type Call,
  changeOf,
  planWith,
  type Started,
  spendingWith,
  startNamed,
} from './named-calls.helper.ts';

let service: WritingService;
beforeAll(async () => {
  service = await startWritingService();
});
afterAll(() => service.close());

const isOld = ({ account_id }: TransactionRecord, { account }: Started) => account_id === account('Old');
const isSplit = ({ legs }: TransactionRecord) => legs.length > 0;
const isPlain = ({ account_id, legs, payee_id }: TransactionRecord, { account, payee }: Started) =>
  account_id === account('Checking') && payee_id === payee('Baker') && legs.length === 0;
const legs = (...amounts: number[]) => amounts.map((amount) => ({ amount }));

describe('a dry run names the problem for which the service then refuses the write', () => {
  test.each<[string, Call, string]>([
    [
      'a closed account',
      spendingWith(({ account }) => ({ account_id: account('Old') })),
      'transactions.0.account_id: the account "Old" is closed',
    ],
    [
      'a transfer to a closed account',
      spendingWith(({ transferTo }) => ({ payee_id: transferTo('Old') })),
      'payee_id: the account "Old" is closed',
    ],
    [
      'a transfer to the same account',
      spendingWith(({ transferTo }) => ({ payee_id: transferTo('Checking') })),
      'payee_id: a transfer needs two accounts',
    ],
    [
      'an unknown account',
      spendingWith(() => ({ account_id: UNKNOWN })),
      'transactions.0.account_id: there is no account',
    ],
    ['an unknown payee', spendingWith(() => ({ payee_id: UNKNOWN })), 'payee_id: there is no payee'],
    [
      'an unknown category',
      spendingWith(() => ({ category_id: UNKNOWN })),
      'category_id: there is no category',
    ],
    [
      'a name of the service',
      spendingWith(() => ({ payee_name: ' starting balance 2' })),
      'payee_name: names that begin with "Starting Balance"',
    ],
    [
      'a day more than five years ago',
      spendingWith(() => ({ date: '2020-12-01' })),
      'date: 2020-12-01 is more than 5 years ago',
    ],
    [
      'an import id that exists',
      spendingWith(() => ({ import_id: 'import 1' })),
      'import_id: the account has "import 1" already',
    ],
    [
      'a split that is a transfer',
      spendingWith(({ transferTo }) => ({ payee_id: transferTo('Savings'), subtransactions: legs(-4, -6) })),
      'payee_id: a split is no transfer',
    ],
    [
      'a leg that transfers to the same account',
      spendingWith(({ transferTo }) => ({
        subtransactions: [{ amount: -10, payee_id: transferTo('Checking') }],
      })),
      'transactions.0.subtransactions.0.payee_id: a transfer needs two accounts',
    ],
    [
      'a move to a day more than five years ago',
      changeOf(isPlain, () => ({ date: '2020-12-01' })),
      'date: 2020-12-01 is more than 5 years ago',
    ],
    [
      'legs that do not add up',
      changeOf(isPlain, () => ({ subtransactions: legs(-4, -5) })),
      'subtransactions: their amounts must add up',
    ],
    [
      'legs that do not add up to another amount',
      changeOf(isPlain, () => ({ amount: -9, subtransactions: legs(-4, -6) })),
      'subtransactions: their amounts must add up',
    ],
    [
      'a move to the account of its transfer',
      changeOf(
        ({ import_id }) => import_id === 'import 3',
        ({ account }) => ({ account_id: account('Savings') }),
      ),
      'account_id: the transaction transfers to this account',
    ],
    [
      'a move to an account that has its import id',
      changeOf(
        (each, started) => isPlain(each, started) && each.import_id === 'import 1',
        ({ account }) => ({ account_id: account('Savings') }),
      ),
      'account_id: the account has the import_id "import 1" already',
    ],
    [
      'a row that needs what an earlier row has removed',
      ({ transaction }) => {
        const other = transaction(({ import_id }) => import_id === 'import 3');
        const side = transaction(({ transfer_transaction_id }) => transfer_transaction_id === other);
        return [
          'update_transactions',
          {
            transactions: [
              { id: other, payee_name: 'Baker' },
              { id: side, memo: 'x' },
            ],
          },
        ];
      },
      'transactions.1.id: there is no transaction',
    ],
    [
      'a day more than five years ahead',
      planWith(() => ({ date: '2031-03-01' })),
      'date: 2031-03-01 is more than 5 years ahead',
    ],
    [
      'a plan in a closed account',
      planWith(({ account }) => ({ account_id: account('Old') })),
      'account_id: the account "Old" is closed',
    ],
    [
      'a plan with a name of the service',
      planWith(() => ({ payee_name: 'Manual Balance Adjustment' })),
      'payee_name: names that begin with',
    ],
    [
      'a plan that moves to the account of its transfer',
      ({ scheduled, account }) => [
        'update_scheduled_transaction',
        {
          scheduled_transaction_id: scheduled(account('Old')),
          account_id: account('Checking'),
          date: '2026-03-01',
        },
      ],
      'account_id: the transaction transfers to this account',
    ],
  ])('%s', async (_, call, problem) => {
    const started = startNamed(service);
    const { outcome, predicted } = await started.compare(...call(started));
    expect(predicted).toContain(problem);
    expect(outcome).toBe('refused by the service');
  });
});

describe('a dry run names no problem where the service ignores what would be one', () => {
  test.each<[string, Call]>([
    [
      'a change in a closed account',
      changeOf(isOld, ({ account }) => ({ account_id: account('Old'), memo: 'x' })),
    ],
    [
      'the day of an old transaction again',
      changeOf(
        ({ date }) => date < '2021',
        () => ({ date: '2020-01-20', memo: 'x' }),
      ),
    ],
    [
      'the transfer to a closed account again',
      changeOf(
        (each, { account, transferTo }) =>
          each.payee_id === transferTo('Checking') && each.account_id === account('Old'),
        ({ transferTo }) => ({ payee_id: transferTo('Checking'), memo: 'x' }),
      ),
    ],
    [
      'a category and legs of a split',
      changeOf(isSplit, () => ({ category_id: UNKNOWN, subtransactions: legs(-1), memo: 'x' })),
    ],
    [
      'a change of the other side of a leg',
      ({ account, transaction }) => {
        const side = transaction(
          (each) =>
            each.account_id === account('Savings') &&
            each.amount === 10_000 &&
            each.import_id === null &&
            each.transfer_account_id === account('Card'),
        );
        return [
          'update_transaction',
          { transaction_id: side, account_id: account('Old'), amount: -1, memo: 'x' },
        ];
      },
    ],
    [
      'a plan in a closed account again',
      ({ scheduled, account }) => [
        'update_scheduled_transaction',
        {
          scheduled_transaction_id: scheduled(account('Old')),
          account_id: account('Old'),
          date: '2026-03-01',
        },
      ],
    ],
    [
      'a category of a planned split',
      ({ scheduled, account }) => [
        'update_scheduled_transaction',
        {
          scheduled_transaction_id: scheduled(account('Card'), true),
          account_id: account('Card'),
          date: '2026-03-01',
          category_id: UNKNOWN,
        },
      ],
    ],
  ])('%s', async (_, call) => {
    const started = startNamed(service);
    expect((await started.compare(...call(started))).outcome).toBe('written');
  });
});

test('an undo that the service would refuse is refused before anything is sent', async () => {
  const { compare, scheduled, account } = startNamed(service);
  const scheduled_transaction_id = scheduled(account('Old'));
  await compare('delete_scheduled_transaction', { scheduled_transaction_id });
  const { outcome, predicted } = await compare('undo', {});
  expect(predicted).toContain('account_id: the account "Old" is closed. This call undid nothing.');
  expect(outcome).toBe('refused here');
});
