import { expect, it } from 'vitest';
import { startHolding } from '../client/holding.helper.ts';
import { hostOf } from './connected.helper.ts';

it('a write whose first read fails says that nothing was written', async () => {
  const { client, clock, service } = await startHolding();
  service.maintenance = true;
  const host = await hostOf({ client, clock });
  const args = { transaction_id: '00000000-0000-4000-8000-000000000000', amount: -1 };
  expect(await host.callTool({ name: 'update_transaction', arguments: args })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/^Nothing was written\. .*503/) }],
  });
});
