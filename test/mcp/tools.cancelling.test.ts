import { expect, it, onTestFinished } from 'vitest';
import { listTransactions } from '../../src/operations/transactions.ts';
import { callOperation } from '../call-operation.helper.ts';
import { startHolding } from '../session/holding.helper.ts';
import { hostOf } from './connected.helper.ts';
import { GatedSender } from './gated-sender.helper.ts';

const since_date = '2026-01-01';

it.each([
  ['a dry run', { dry_run: true }],
  ['a call that needs a confirmation', {}],
])('%s aborts its request to the service when the host cancels it', async (_, args) => {
  const { connect, service, clock } = await startHolding();
  const sender = new GatedSender();
  onTestFinished(() => sender.close());
  const client = connect(service.accessToken, { sender });
  await callOperation(client, listTransactions, { since_date });
  const { data } = await callOperation(client, listTransactions, { since_date });
  const [transaction] = data.transactions;
  const host = await hostOf({ client, clock });
  clock.advance(60_000);
  const open = sender.shut();
  const cancelling = new AbortController();
  const call = host.callTool(
    { name: 'delete_transaction', arguments: { transaction_id: transaction?.id, ...args } },
    { signal: cancelling.signal },
  );
  const signal = await sender.arrived.next();
  cancelling.abort();
  await expect(call).rejects.toThrow();
  // The server handles messages in order, so after this call it has handled the cancellation.
  await host.callTool({ name: 'get_status', arguments: {} });
  expect(signal?.aborted).toBe(true);
  open();
});
