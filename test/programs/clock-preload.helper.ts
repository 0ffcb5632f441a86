/**
 * Replaces the machine's clock in the program by a manual clock, which a test controls over a local connection. It is
 * loaded before the program's own files (`node --import`) and replaces only the functions that src/base/clock.ts uses.
 *
 * A command is a line, `ID NAME MILLISECONDS`. The response is a line of JSON after the command has been executed:
 *
 *   - `idle` waits until the program has no open request and has handled all input.
 *   - `advance` advances both clocks, and ends the timers that are due.
 *   - `set` sets the wall clock, in milliseconds since the epoch.
 */
import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import timers, { setImmediate } from 'node:timers/promises';
import { ManualClock } from '../manual-clock.helper.ts';

const { CLOCK_PORT, CLOCK_START } = process.env;

const clock = new ManualClock(Number(CLOCK_START));
Object.assign(Date, { now: () => clock.now() });
Object.assign(process.hrtime, { bigint: () => BigInt(Math.round(clock.monotonic() * 1e6)) });
Object.assign(timers, {
  setTimeout: (milliseconds: number, _value: unknown, { signal }: { signal?: AbortSignal } = {}) =>
    clock.sleep(milliseconds, signal),
});
syncBuiltinESMExports();

/** Requests of undici without a complete response. */
const openRequests = new Set<unknown>();
let onLastRequestEnd = () => {};
const requestOf = (message: unknown) =>
  typeof message === 'object' && message !== null && 'request' in message && message.request;
subscribe('undici:request:create', (message) => openRequests.add(requestOf(message)));
for (const end of ['undici:request:trailers', 'undici:request:error'])
  subscribe(end, (message) => {
    openRequests.delete(requestOf(message));
    if (openRequests.size === 0) onLastRequestEnd();
  });

/** More turns of the event loop than the program needs to handle input, unless it loads a file or decompresses a response. */
const TURNS = 30;

async function idle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) {
    if (openRequests.size > 0)
      await new Promise<void>((resolve) => {
        onLastRequestEnd = resolve;
      });
    await setImmediate();
    if (openRequests.size > 0) turn = 0;
  }
}

async function execute(name: string | undefined, milliseconds: number): Promise<void> {
  if (name === 'idle') await idle();
  else if (name === 'advance') clock.advance(milliseconds);
  else if (name === 'set') clock.setWallClock(milliseconds);
  else throw new Error(`There is no command ${name}.`);
}

const socket = connect(Number(CLOCK_PORT), '127.0.0.1');
await once(socket, 'connect');
socket.setNoDelay().unref();
createInterface(socket).on('line', async (line) => {
  const [id, name, milliseconds] = line.split(' ');
  await execute(name, Number(milliseconds));
  const { nextWakeIn } = clock;
  socket.write(`${JSON.stringify({ id: Number(id), nextWakeIn })}\n`);
});
