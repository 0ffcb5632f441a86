/**
 * Loaded into the program before its own files (`node --import`): a manual clock in place of the machine's, which a test
 * steers over a local connection. It replaces what src/platform/clock.ts reads, and nothing else.
 *
 * A command is a line, `ID NAME MILLISECONDS`. It is answered by a line of JSON once it is carried out:
 *
 *   - `idle` waits until the program has no request under way and has dealt with all that has arrived.
 *   - `advance` moves both clocks on, and lets the timers that are due end.
 *   - `set` sets the wall clock, in milliseconds since the epoch.
 */
import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import timers, { setImmediate } from 'node:timers/promises';
import { ManualClock } from '../manual-clock.ts';

const { CLOCK_PORT, CLOCK_START } = process.env;

const clock = new ManualClock(Number(CLOCK_START));
Object.assign(Date, { now: () => clock.now() });
Object.assign(performance, { now: () => clock.monotonic() });
Object.assign(timers, {
  setTimeout: (milliseconds: number, _value: unknown, { signal }: { signal?: AbortSignal } = {}) =>
    clock.sleep(milliseconds, signal),
});
syncBuiltinESMExports();

/** Those of undici that have no complete answer yet. */
const requests = new Set<unknown>();
let onNoRequest = () => {};
const requestOf = (message: unknown) =>
  typeof message === 'object' && message !== null && 'request' in message && message.request;
subscribe('undici:request:create', (message) => requests.add(requestOf(message)));
for (const end of ['undici:request:trailers', 'undici:request:error'])
  subscribe(end, (message) => {
    requests.delete(requestOf(message));
    if (requests.size === 0) onNoRequest();
  });

/** More than the program needs for what has arrived, as long as it loads no file and unpacks no answer. */
const TURNS = 30;

async function idle(): Promise<void> {
  for (let quiet = 0; quiet < TURNS; quiet += 1) {
    if (requests.size > 0)
      await new Promise<void>((resolve) => {
        onNoRequest = resolve;
      });
    await setImmediate();
    if (requests.size > 0) quiet = 0;
  }
}

async function carryOut(name: string | undefined, milliseconds: number): Promise<void> {
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
  await carryOut(name, Number(milliseconds));
  const { nextWakeIn } = clock;
  socket.write(`${JSON.stringify({ id: Number(id), nextWakeIn })}\n`);
});
