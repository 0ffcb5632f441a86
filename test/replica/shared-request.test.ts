import { expect, it } from 'vitest';
import { type OnProgress, SharedRequest } from '../../src/replica/shared-request.ts';

it('A shared request tells each caller that wants to know how far it is, until that one leaves', async () => {
  const parts: { tell?: OnProgress; finish?: (result: string) => void } = {};
  const request = new SharedRequest({ writes: 0, isFullLoad: true }, (_, tell) => {
    parts.tell = tell;
    return new Promise<string>((resolve) => {
      parts.finish = resolve;
    });
  });
  const seen: [string, number][] = [];
  const leaving = new AbortController();
  const left = request.join(leaving.signal, (received) => seen.push(['leaves', received]));
  const stayed = request.join(undefined, (received) => seen.push(['stays', received]));
  const silent = request.join();
  parts.tell?.(1_000);
  leaving.abort();
  await expect(left).rejects.toMatchObject({ code: 'cancelled' });
  parts.tell?.(2_000);
  parts.finish?.('done');
  expect([await stayed, await silent]).toEqual(['done', 'done']);
  parts.tell?.(3_000);
  expect(seen).toEqual([
    ['leaves', 1_000],
    ['stays', 1_000],
    ['stays', 2_000],
  ]);
});
