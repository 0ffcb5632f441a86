import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { Arrivals } from '../arrivals.helper.ts';
import { eras } from '../hosts.helper.ts';
import { startHttpProgram } from '../http-program.helper.ts';
import { runProgram } from '../run-program.helper.ts';

const EXTENSION = 'io.modelcontextprotocol/events';
const VERSION = 'io.modelcontextprotocol/protocolVersion';

const anything = z.looseObject({});
const answer = z.object({
  result: z.object({ capabilities: z.looseObject({ events: anything, extensions: anything }) }),
});

const clientInfo = { name: 'test', version: '1' };

/** What clients of each era ask first. */
const questions = [
  [
    'server/discover',
    {
      _meta: {
        [VERSION]: '2026-07-28',
        'io.modelcontextprotocol/clientInfo': clientInfo,
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  ],
  ['initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }],
] as const;

it.each(questions)(
  'the answer to %s has the capability in both forms that clients read',
  async (method, params) => {
    const input = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })}\n`;
    const { stdout } = await runProgram(['serve', '--demo'], { input, env: { BUDGET_MCP_NO_STATE: 'true' } });
    const { capabilities } = answer.parse(JSON.parse(stdout)).result;
    expect(capabilities.events).toEqual({});
    expect(capabilities.extensions[EXTENSION]).toEqual({});
  },
);

const ways = [
  ['a pipe', async () => ({})],
  [
    'HTTP',
    async () => {
      const program = await startHttpProgram();
      onTestFinished(async () => void (await program.stop()));
      return { http: { url: program.url } };
    },
  ],
] as const;

describe.each(ways)('over %s', (_way, start) => {
  it.each(eras)(
    'a client that speaks %s lists events, asks for them, and gets them in a stream',
    async (_era, connect) => {
      const { client, close } = await connect(await start());
      onTestFinished(close);
      const wanted = { name: 'large_transaction', arguments: { amount: 100 } };
      const request = async (method: string, params: Record<string, unknown>, signal?: AbortSignal) => {
        const asked = { method, params };
        const options = signal && { signal };
        return anything.parse(
          client instanceof LegacyClient
            ? await client.request(asked, anything, options)
            : await client.request(asked, anything, options),
        );
      };
      const { events } = await request('events/list', {});
      expect(events).toHaveLength(8);
      const polled = await request('events/poll', wanted);
      expect(polled).toMatchObject({ events: [], truncated: false, hasMore: false });

      const arrivals = new Arrivals<unknown>();
      client.fallbackNotificationHandler = async (notification) => arrivals.add(notification);
      const ended = new AbortController();
      const streaming = request('events/stream', { ...wanted, cursor: polled['cursor'] }, ended.signal);
      streaming.catch(() => {});
      expect(await arrivals.next()).toMatchObject({
        method: 'notifications/events/active',
        params: {
          cursor: polled['cursor'],
          truncated: false,
          _meta: { 'io.modelcontextprotocol/subscriptionId': expect.anything() },
        },
      });
      ended.abort();
      await expect(streaming).rejects.toThrow();
      // The connection goes on.
      expect(await request('events/poll', wanted)).toMatchObject({ cursor: polled['cursor'] });
    },
  );
});
