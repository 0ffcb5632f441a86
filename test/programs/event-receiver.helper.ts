/** A receiver of events that fails in many ways, at an address that programs take for a public one, and a trap beside it. */

import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { createServer as createTrap } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { certificate } from '../hosting/local-https.helper.ts';
import { unusedPort } from '../local-server.helper.ts';
import { preloadOf } from './preload.helper.ts';

const message = z.looseObject({ type: z.literal('verification'), challenge: z.string() }).or(
  z.looseObject({
    eventId: z.string(),
    data: z.looseObject({
      message: z.string(),
      next: z.object({ arguments: z.looseObject({ transaction_id: z.string().optional() }) }),
    }),
  }),
);
const headersSchema = z.record(z.string(), z.string());

/** A message about an event, with a signature that is right. */
export interface Arrival {
  /** The path of the address, with the name of the host. */
  readonly address: string;
  readonly eventId: string;
  readonly transactionId: string;
  /** By the monotonic time of this process. */
  readonly at: number;
  /** Whether the answer was a good one. */
  readonly isAccepted: boolean;
}

/** How often each bad answer is given, of a hundred. A lost one is received, and the connection ends before the answer. */
const troubles = [
  ['server error', 12],
  ['redirect', 8],
  ['lost answer', 10],
  ['no answer', 2],
  ['endless answer', 2],
] as const;

export class EventReceiver {
  readonly arrivals: Arrival[] = [];
  /** Whatever must not come. */
  readonly failures: string[] = [];
  /** Connections to addresses that are not public. */
  trapped = 0;
  isFailing = true;
  readonly #challenged = new Set<string>();
  readonly #secrets = new Map<string, string>();
  readonly env: Readonly<Record<string, string>>;
  readonly #close: () => Promise<void>;

  private constructor(env: Record<string, string>, close: () => Promise<void>) {
    this.env = env;
    this.#close = close;
  }

  static async start(): Promise<EventReceiver> {
    const port = await unusedPort();
    const directory = mkdtempSync(join(tmpdir(), 'receiver-'));
    const file = join(directory, 'cert');
    writeFileSync(file, certificate.cert);
    const server = createServer(certificate);
    const trap = createTrap();
    const receiver = new EventReceiver(
      {
        RECEIVER_PORT: `${port}`,
        NODE_EXTRA_CA_CERTS: file,
        NODE_OPTIONS: await preloadOf('public-names-preload.helper.ts'),
      },
      async () => {
        server.closeAllConnections();
        const closed = [server, trap].map((each) => once(each.close(), 'close'));
        await Promise.all(closed);
        rmSync(directory, { recursive: true });
      },
    );
    server.on('request', async (request, response) => {
      const address = `${request.headers.host}${request.url}`;
      const headers = headersSchema.safeParse(request.headers).data ?? {};
      await receiver
        .#receive(address, headers, await text(request), response)
        .catch(() => response.destroy());
    });
    trap.on('connection', (socket) => {
      receiver.trapped += 1;
      socket.destroy();
    });
    server.listen(port, '127.0.0.1');
    trap.listen(port, '127.0.0.2');
    await Promise.all([once(server, 'listening'), once(trap, 'listening')]);
    return receiver;
  }

  /** From now on, messages to this address have to be signed with `secret`. */
  expect(address: string, secret: string): void {
    this.#secrets.set(address, secret);
  }

  close(): Promise<void> {
    return this.#close();
  }

  async #receive(
    address: string,
    headers: Record<string, string>,
    body: string,
    response: ServerResponse,
  ): Promise<void> {
    try {
      new Webhook(this.#secrets.get(address) ?? '').verify(body, headers);
    } catch (error) {
      this.failures.push(`${address} got a message with a wrong signature: ${error}`);
    }
    const content = message.parse(JSON.parse(body));
    if ('challenge' in content) {
      // The first answer is a wrong one.
      const isKnown = this.#challenged.has(address);
      this.#challenged.add(address);
      response.end(JSON.stringify({ challenge: isKnown ? content.challenge : 'wrong' }));
      return;
    }
    const { eventId, data } = content;
    if (headers['webhook-id'] !== eventId) this.failures.push(`${address} got ${eventId} under another id.`);
    const trouble = this.#trouble();
    const transactionId = data.next.arguments.transaction_id ?? data.message;
    const isAccepted = trouble === undefined;
    this.arrivals.push({ address, eventId, transactionId, at: performance.now(), isAccepted });
    if (trouble === undefined) response.writeHead(204).end();
    else if (trouble === 'server error') response.writeHead(500).end();
    else if (trouble === 'redirect') response.writeHead(307, { location: 'https://127.0.0.1/secret' }).end();
    else if (trouble === 'lost answer') response.destroy();
    else if (trouble === 'endless answer') response.writeHead(200).write('x');
  }

  #trouble() {
    let left = this.isFailing ? Math.random() * 100 : 100;
    for (const [name, share] of troubles) {
      left -= share;
      if (left < 0) return name;
    }
    return undefined;
  }
}
