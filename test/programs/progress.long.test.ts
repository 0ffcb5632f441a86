import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { startService } from '../../src/service/server.ts';
import { eras } from '../hosts.helper.ts';

/** Increasing numbers. */
const expectProgress = (reported: readonly number[]) => {
  expect(reported.length).toBeGreaterThan(0);
  expect(reported).toEqual([...new Set(reported)].toSorted((a, b) => a - b));
};

test.each(eras)(
  'loading a large budget, and loading it again, reports progress to a host of %s that requested it',
  async (_, connect) => {
    const service = await startService({ clock: systemClock, transactions: 10_000 });
    const env = { BUDGET_MCP_BASE_URL: service.baseUrl, BUDGET_MCP_TOKEN: service.accessToken };
    const host = await connect({ args: ['serve'], env });
    const reported: number[] = [];
    const onprogress = ({ progress }: { progress: number }) => void reported.push(progress);
    const ask = () => host.call('list_accounts', {}, { onprogress });
    try {
      await ask();
      expectProgress(reported);
      const { length } = reported;
      await ask();
      expect(reported).toHaveLength(length);

      reported.length = 0;
      await host.call('refresh_budget', { full: true }, { onprogress });
      expectProgress(reported);
    } finally {
      await host.close();
      await service.close();
    }
  },
);
