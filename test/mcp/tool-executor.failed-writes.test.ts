import { expect, it, onTestFinished } from 'vitest';
import { startHolding } from '../session/holding.helper.ts';
import { hostOf } from './connected.helper.ts';
import { GatedSender } from './gated-sender.helper.ts';

it('a write whose first read fails says that it changed nothing', async () => {
  const { client, clock, service } = await startHolding();
  service.maintenance = true;
  const host = await hostOf({ client, clock });
  const args = { transaction_id: '00000000-0000-4000-8000-000000000000', amount: -1 };
  expect(await host.callTool({ name: 'update_transaction', arguments: args })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/^This call changed nothing\. .*503/) }],
  });
});

it('a write is not sent after its reads have taken ten seconds, because its host may have given up', async () => {
  const { connect, clock, service } = await startHolding();
  const sender = new GatedSender();
  onTestFinished(() => sender.close());
  const host = await hostOf({ client: connect(service.accessToken, { sender }), clock });
  const open = sender.shut();
  const transaction = { account_id: 'Wallet', amount: -4.5, date: '2026-11-21', payee_name: 'Too late' };
  const call = host.callTool({ name: 'create_transactions', arguments: { transactions: [transaction] } });
  await sender.arrived.next();
  clock.advance(10_000);
  open();
  expect(await call).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('nothing was sent within 10 s') }],
  });
  const rows = service.user.ledgers[0]?.payees() ?? expect.unreachable();
  expect(rows.map(({ name }) => name)).not.toContain('Too late');
});
