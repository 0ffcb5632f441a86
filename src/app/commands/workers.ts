/**
 * Runs a hosted server as several processes with one address (`--workers`). This one answers no requests: it starts the
 * others, replaces those that end, and serves their metrics as one.
 */
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { systemClock } from '../../base/clock.ts';
import { invalidConfig } from '../../base/errors.ts';
import { workerPlace } from '../../transports/http/workers.ts';
import { type Config, hostedSecrets } from '../config/load-config.ts';

/** One that ends at once is not started in a tight loop. */
const RESTART_AFTER_MS = 500;

/** A worker asks the process that has started it. A message that came without being asked for could be lost. */
const BEGIN = 'begin';

/** The answer. Secrets are in no environment, which other programs of the user could read. */
const assignmentSchema = z.object({ place: workerPlace, secrets: hostedSecrets });

type Assignment = z.output<typeof assignmentSchema>;

/** The place of this process among the workers, and the secrets of its settings. Undefined if it is no worker. */
export async function assignmentOfWorker(): Promise<Assignment | undefined> {
  if (!cluster.isWorker) return undefined;
  // Ctrl-C reaches all processes. The one that has started this passes it on, and a second signal would end this one at once.
  process.removeAllListeners('SIGINT').on('SIGINT', () => {});
  const answer = new Promise<Assignment>((resolve) => {
    process.on('message', (message) => {
      const { data } = assignmentSchema.safeParse(message);
      if (data) resolve(data);
    });
  });
  process.send?.(BEGIN);
  return answer;
}

/** Resolves when all workers have ended after `signal`. Throws if the first one cannot start; it has written why. */
export async function runWorkers(config: Config, count: number, signal: AbortSignal): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'budget-mcp-'));
  const secrets = hostedSecrets.parse(config);
  const running = new Set<Worker>();
  // Workers accept connections themselves. One that this process gave to a worker that was just killed would never be answered.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const start = (number: number): Worker => {
    const worker = cluster.fork();
    running.add(worker);
    worker.on('message', (message) => {
      if (message === BEGIN)
        worker.send({ place: { number, count, directory }, secrets } satisfies Assignment);
    });
    worker.once('exit', () => running.delete(worker));
    return worker;
  };
  const keepRunning = async (number: number, first: Worker) => {
    for (let worker = first; ; worker = start(number)) {
      if (running.has(worker)) await once(worker, 'exit');
      if (signal.aborted) return;
      await systemClock.sleep(RESTART_AFTER_MS, signal).catch(() => {});
      if (signal.aborted) return;
    }
  };
  signal.addEventListener('abort', () => {
    for (const worker of running) worker.kill('SIGTERM');
  });
  try {
    // It prepares the storage, and the others find it.
    const first = start(0);
    await Promise.race([once(first, 'listening'), once(first, 'exit')]);
    if (!running.has(first) && !signal.aborted)
      throw invalidConfig('A worker could not start. It has written why.');
    const others = signal.aborted ? [] : Array.from({ length: count - 1 }, (_, nth) => start(nth + 1));
    await Promise.all([first, ...others].map((worker, number) => keepRunning(number, worker)));
  } finally {
    await rm(directory, { recursive: true });
  }
}
