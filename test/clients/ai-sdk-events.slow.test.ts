import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { startHttpProgram } from '../http-program.helper.ts';
import { buildQuickWatches } from '../quick-watches.helper.ts';
import { noRegistry } from '../registry.helper.ts';
import { installClients, runScript } from './run-client.helper.ts';

const granted = z.object({
  id: z.string(),
  refreshBefore: z.string(),
  cursor: z.string(),
  truncated: z.boolean(),
});

const output = z.object({
  listed: z.object({ events: z.array(z.object({ name: z.string() })) }),
  subscribed: granted,
  refreshed: granted,
  received: z.array(z.looseObject({ eventId: z.string() })),
  statuses: z.array(z.int()),
  left: z.string(),
  stored: z.int(),
});

describe.skipIf(noRegistry)('the client of the AI SDK', () => {
  test('lists events, subscribes, verifies what arrives, refreshes, and unsubscribes', async () => {
    const node = await installClients();
    const program = await startHttpProgram(
      ['--demo', '--allow-callbacks', '--confirm', 'none'],
      {},
      await buildQuickWatches(),
    );
    onTestFinished(async () => void (await program.stop()));
    const ran = output.parse(await runScript(node, 'ai-sdk-events', { url: program.url }));
    expect(ran.listed.events).toHaveLength(8);
    expect(ran.subscribed.truncated).toBe(false);
    expect(ran.refreshed).toMatchObject({ id: ran.subscribed.id, truncated: false });
    expect(ran.received).toMatchObject([
      { name: 'large_transaction', data: { amount: -500, currency: 'EUR' } },
      { name: 'large_transaction', data: { amount: -600, currency: 'EUR' } },
    ]);
    expect(new Set(ran.received.map(({ eventId }) => eventId)).size).toBe(2);
    // The challenge, and each event. Its handler asks for a message again that comes while it subscribes.
    expect(ran.statuses.filter((status) => status !== 503)).toEqual([200, 204, 204]);
    expect(ran.left).toContain('Nothing is watched.');
    expect(ran.stored).toBe(0);
  });
});
