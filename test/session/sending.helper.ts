/** Helpers for tests of the sender: a sender with a clock that does not move, and a server that waits for the test. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { BudgetError } from '../../src/base/errors.ts';
import { HttpSender, type HttpSenderOptions } from '../../src/session/http/http-sender.ts';
import { serveHttp } from '../local-server.helper.ts';
import { ManualClock } from '../manual-clock.helper.ts';

export function startSender(options: Partial<HttpSenderOptions> = {}) {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const sender = new HttpSender({ clock, ...options });
  onTestFinished(() => sender.close());
  const get = (url: string, signal?: AbortSignal) =>
    sender.send({ method: 'GET', url, headers: { authorization: 'Bearer secret' } }, signal);
  return { clock, sender, get };
}

/** The `BudgetError` that a promise rejects with. */
export async function failureOf(sent: Promise<unknown>): Promise<BudgetError> {
  const error = await sent.then(
    () => new Error('It succeeded.'),
    (reason: unknown) => reason,
  );
  if (error instanceof BudgetError) return error;
  throw error;
}

/** A server that responds when the test wants it to. `next` returns the next request. */
export async function servePatiently() {
  const waiting: ((exchange: Exchange) => void)[] = [];
  const arrived: Exchange[] = [];
  const paths: (string | undefined)[] = [];
  const server = await serveHttp((request, response) => {
    paths.push(request.url);
    const taker = waiting.shift();
    if (taker) taker({ request, response });
    else arrived.push({ request, response });
  });
  const next = () =>
    new Promise<Exchange>((resolve) => {
      const exchange = arrived.shift();
      if (exchange) resolve(exchange);
      else waiting.push(resolve);
    });
  return { ...server, paths, next };
}

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Resolves when the connection is closed, by an end or a reset. */
export const hungUp = ({ request }: Exchange) =>
  new Promise((closed) => request.socket.once('close', closed));
