import { expect, it } from 'vitest';
import { type OnProgress, SharedRequest } from '../../../src/session/freshness/shared-request.ts';

it('a shared request reports its progress to each caller that listens, until that caller cancels', async () => {
  const running: { reportBytes?: OnProgress; finish?: (result: string) => void } = {};
  const request = new SharedRequest({ writes: 0, isFullLoad: true }, (_, reportBytes) => {
    running.reportBytes = reportBytes;
    return new Promise<string>((resolve) => {
      running.finish = resolve;
    });
  });
  const reports: [string, number][] = [];
  const controller = new AbortController();
  const cancelled = request.join({
    signal: controller.signal,
    onProgress: (received) => reports.push(['cancelled', received]),
  });
  const remaining = request.join({ onProgress: (received) => reports.push(['remaining', received]) });
  const withoutListener = request.join();
  running.reportBytes?.(1_000);
  controller.abort();
  await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' });
  running.reportBytes?.(2_000);
  running.finish?.('done');
  expect([await remaining, await withoutListener]).toEqual(['done', 'done']);
  running.reportBytes?.(3_000);
  expect(reports).toEqual([
    ['cancelled', 1_000],
    ['remaining', 1_000],
    ['remaining', 2_000],
  ]);
});
