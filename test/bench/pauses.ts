/** Measures how long the event loop is blocked while something is done. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';

/** The longest time in milliseconds that other work had to wait. */
export async function longestPause(work: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  // The first pause that it measures is the time since it was enabled, and it measures none that begins with a reset.
  await setTimeout(10);
  delay.reset();
  await setTimeout(10);
  await work();
  // The last pause is noticed after it.
  await setTimeout(5);
  delay.disable();
  return delay.max / 1e6;
}
