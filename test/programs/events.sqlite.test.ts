import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { Arrivals } from '../arrivals.helper.ts';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { connectLegacy, type LegacyHost } from '../hosts.helper.ts';
import { Household } from '../household.helper.ts';
import { serveHttp } from '../local-server.helper.ts';
import { buildQuickWatches } from '../quick-watches.helper.ts';
import { sqlite } from '../store/sqlite.helper.ts';
import { pidOf } from './sharing-programs.helper.ts';

const message = z.looseObject({ challenge: z.string().optional(), eventId: z.string().optional() });
const subscribed = z.looseObject({ cursor: z.string(), truncated: z.boolean() });

/** Programs of one sign-in with one state, and a receiver that tells what arrives before it answers. */
async function start() {
  const home = await Household.start({ transactions: 200 });
  onTestFinished(() => home.close());
  const arrivals = new Arrivals<{ readonly eventId: string; answer(): void }>();
  const receiver = await serveHttp(async (request, response) => {
    const { challenge, eventId } = message.parse(JSON.parse(await text(request)));
    if (eventId === undefined) response.end(JSON.stringify({ challenge }));
    else arrivals.add({ eventId, answer: () => response.writeHead(204).end() });
  });
  const directory = join(await temporaryDirectory(), 'state');
  const program = await buildQuickWatches();
  const startProgram = async () => {
    const host = await connectLegacy({
      command: [process.execPath, program],
      args: ['serve', '--allow-callbacks', '--state-dir', directory],
      env: { ...home.env(), BUDGET_MCP_NO_STATE: 'false' },
    });
    onTestFinished(() => host.close());
    expect((await host.call('list_accounts')).isError).toBe(false);
    return host;
  };
  const subscribe = async ({ client }: LegacyHost, cursor: string | null = null) => {
    const delivery = {
      mode: 'webhook',
      url: `${receiver.url}/hook`,
      secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
    };
    const params = { name: 'large_transaction', arguments: { amount: 1_000 }, cursor, delivery };
    return client.request({ method: 'events/subscribe', params }, subscribed);
  };
  const { id: account_id } = await home.account('Checking');
  const spend = async () => {
    const date = new Date().toISOString().slice(0, 10);
    const transaction = { account_id, date, amount: -2_000_000, payee_name: 'Shop' };
    await home.write('POST', 'transactions', { transaction });
  };
  return { startProgram, subscribe, spend, arrivals, directory };
}

const kill = (host: LegacyHost) => process.kill(pidOf(host), 'SIGKILL');

describe.skipIf(!sqlite)('programs with one state', () => {
  test('send each occurrence under one id, also after a kill before the answer of the receiver', async () => {
    const { startProgram, subscribe, spend, arrivals } = await start();
    const programs = [await startProgram(), await startProgram()];
    await subscribe(programs[0] ?? expect.unreachable());
    const ids: string[] = [];
    const answerNext = async () => {
      await spend();
      const { eventId, answer } = await arrivals.next();
      answer();
      ids.push(eventId);
    };
    await answerNext();
    await answerNext();
    await spend();
    const { eventId } = await arrivals.next();
    // Either of them may have sent it.
    for (const program of programs) kill(program);
    await startProgram();
    const again = await arrivals.next();
    expect(again.eventId).toBe(eventId);
    again.answer();
    await answerNext();
    expect(new Set([...ids, eventId]).size).toBe(4);
    expect(arrivals.waiting).toEqual([]);
  });

  test('that lose it end what is watched, say so, and begin again without what is missing', async () => {
    const { startProgram, subscribe, spend, arrivals, directory } = await start();
    const before = await startProgram();
    const { cursor } = await subscribe(before);
    kill(before);
    await rm(directory, { recursive: true });
    await spend();
    const after = await startProgram();
    expect((await after.call('list_watches')).text).toContain('when the stored state is lost');
    expect((await subscribe(after, cursor)).truncated).toBe(true);
    await spend();
    const next = await arrivals.next();
    next.answer();
    expect(arrivals.waiting).toEqual([]);
  });
});
