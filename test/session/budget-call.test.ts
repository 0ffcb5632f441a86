import { expect, onTestFinished, test } from 'vitest';
import { fixedTokenProvider } from '../../src/auth/token-provider.ts';
import { listAccounts } from '../../src/operations/accounts.ts';
import { createTransactions, deleteTransaction } from '../../src/operations/transaction-writes.ts';
import { listTransactions } from '../../src/operations/transactions.ts';
import { HttpSender } from '../../src/session/http/http-sender.ts';
import { callOperation } from '../call-operation.helper.ts';
import { startHolding } from './holding.helper.ts';
import { failureOf } from './sending.helper.ts';

/** Calls `onWrite` when a write is about to be sent. */
class WriteNoticingSender extends HttpSender {
  onWrite = () => {};

  override exchange(...exchange: Parameters<HttpSender['exchange']>): ReturnType<HttpSender['exchange']> {
    const [{ method }] = exchange;
    if (method !== 'GET') this.onWrite();
    return super.exchange(...exchange);
  }
}

/** A client whose budget is cached, and a way to sign in as another person. */
async function startSignedIn() {
  const { connect, service, ledger, clock } = await startHolding();
  let signIn = 'Ann';
  const sender = new WriteNoticingSender({ clock });
  onTestFinished(() => sender.close());
  const { baseUrl, accessToken: token } = service;
  const client = connect(token, {
    sender,
    tokens: {
      ...fixedTokenProvider({ baseUrl, token }),
      credential: async () => ({ baseUrl, token, signIn }),
    },
  });
  for (const _ of [1, 2]) await callOperation(client, listAccounts, {});
  const signInAs = (name: string) => {
    signIn = name;
  };
  return { client, ledger, sender, signInAs };
}

test('a call that began before another person signed in gets nothing from the cache of the former one', async () => {
  const { client, signInAs } = await startSignedIn();
  const call = client.begin();
  await call.resolveBudget(undefined);
  signInAs('Bob');
  const { code } = await failureOf(call.read(listAccounts, {}));
  expect(code).toBe('sign_in_changed');
});

test('a dry run that began before another person signed in shows nothing of the former one', async () => {
  const { client, signInAs } = await startSignedIn();
  const { data } = await callOperation(client, listTransactions, { since_date: '1970-01-01' });
  const transaction_id = data.transactions[0]?.id ?? expect.unreachable();
  const call = client.begin();
  await call.resolveBudget(undefined);
  signInAs('Bob');
  const { code } = await failureOf(call.simulate(deleteTransaction, { transaction_id }));
  expect(code).toBe('sign_in_changed');
});

test('a write during which another person signs in is reported as written', async () => {
  const { client, ledger, sender, signInAs } = await startSignedIn();
  const account_id = ledger.accounts()[0]?.id ?? expect.unreachable();
  sender.onWrite = () => signInAs('Bob');
  const { outcome } = await callOperation(client, createTransactions, {
    transactions: [{ account_id, date: '2026-11-20', amount: -1_230 }],
  });
  expect(outcome).toBe('written');
  expect(ledger.transactions(undefined).filter(({ amount }) => amount === -1_230)).toHaveLength(1);
});

test('a call is about one budget', async () => {
  const { client } = await startSignedIn();
  const call = client.begin();
  await call.resolveBudget(undefined);
  await expect(call.read(listAccounts, { budget_id: 'another' })).rejects.toThrow('about one budget');
});
