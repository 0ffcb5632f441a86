/**
 * Several processes of one server, which listen on one address. All requests with one token are answered by the same of them,
 * so that it has the sessions and the budgets of their person. The others pass them on to it, by a socket of its own. It does
 * not know who starts the processes.
 */
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { Agent, type IncomingMessage, type RequestListener, request, type Server } from 'node:http';
import { join, win32 } from 'node:path';
import { z } from 'zod';
import { createRefusal } from '../messages.ts';
import { bearerTokenOf } from './callers.ts';

/** Which of the processes this one is. */
export const workerPlace = z.object({
  /** From 0. A process that replaces another one has its number. */
  number: z.int(),
  count: z.int(),
  /** Where their sockets are. Only this user may use it. */
  directory: z.string(),
});

export type WorkerPlace = z.output<typeof workerPlace>;

/** Windows has named pipes in the place of sockets. They lie in no folder, so the name of the folder, which is random, is in theirs. */
export const socketOf = (
  { directory, number }: Pick<WorkerPlace, 'directory' | 'number'>,
  platform = process.platform,
) =>
  platform === 'win32'
    ? `\\\\.\\pipe\\${win32.basename(directory)}-${number}`
    : join(directory, `${number}.sock`);

/** Undefined for a request without a token, which any worker answers. */
function workerOf({ authorization }: IncomingMessage['headers'], count: number): number | undefined {
  const token = bearerTokenOf(authorization ?? '');
  if (token === undefined) return undefined;
  return createHash('sha256').update(token).digest().readUInt32BE() % count;
}

/** Lets other workers pass requests to `server`. */
export async function listenForWorkers(server: Server, place: WorkerPlace): Promise<void> {
  const path = socketOf(place);
  // One that was killed has left it. A pipe ends with its process.
  if (process.platform !== 'win32') await rm(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ path, exclusive: true }, resolve);
  });
}

/**
 * Passes each request on to its worker, and answers its own with `listener`. If its worker does not run, it is answered here:
 * everything but a session of the older era is right on any of them. `addressOf` is the address that sends a request.
 */
export function passedOn(
  { directory, number, count }: WorkerPlace,
  addressOf: (incoming: IncomingMessage) => string,
  listener: RequestListener,
): RequestListener {
  const agent = new Agent({ keepAlive: true });
  return (incoming, outgoing) => {
    const worker = workerOf(incoming.headers, count) ?? number;
    if (worker === number) return listener(incoming, outgoing);
    const { method, url } = incoming;
    const { connection: _, ...headers } = { ...incoming.headers, 'x-forwarded-for': addressOf(incoming) };
    const passed = request({
      socketPath: socketOf({ directory, number: worker }),
      agent,
      method,
      path: url,
      headers,
    });
    let isSent = false;
    const send = () => {
      isSent = true;
      incoming.pipe(passed);
    };
    passed.once('socket', (socket) => (socket.connecting ? socket.once('connect', send) : send()));
    passed.once('response', (answer) => {
      const { connection: _, 'keep-alive': __, ...headers } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? UNAVAILABLE, headers);
      // The header of a stream is needed before its first event.
      outgoing.flushHeaders();
      answer.pipe(outgoing);
      answer.once('error', () => outgoing.destroy());
    });
    passed.once('error', () => {
      if (!isSent) listener(incoming, outgoing);
      else if (outgoing.headersSent) outgoing.destroy();
      else
        outgoing
          .writeHead(UNAVAILABLE, { 'content-type': 'application/json', 'retry-after': '1' })
          .end(JSON.stringify(createRefusal('A part of this server has ended. Try again.')));
    });
    outgoing.once('close', () => passed.destroy());
    return undefined;
  };
}

const UNAVAILABLE = 503;
