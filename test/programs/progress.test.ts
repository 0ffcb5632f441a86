import { expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { startService } from '../../src/service/server.ts';
import { eras } from '../hosts.helper.ts';

test.each(eras)(
  'loading a large budget reports progress to a host of %s that requested it',
  async (_, connect) => {
    const service = await startService({ clock: systemClock, transactions: 10_000 });
    const env = { BUDGET_MCP_BASE_URL: service.baseUrl, BUDGET_MCP_TOKEN: service.accessToken };
    const host = await connect({ args: ['serve'], env });
    const reported: number[] = [];
    const onprogress = ({ progress }: { progress: number }) => void reported.push(progress);
    const ask = () => host.call('list_accounts', {}, { onprogress });
    try {
      await ask();
      expect(reported).toEqual([]);
      await ask();
      expect(reported.length).toBeGreaterThan(0);
      expect(reported).toEqual([...new Set(reported)].toSorted((a, b) => a - b));
    } finally {
      await host.close();
      await service.close();
    }
  },
);
