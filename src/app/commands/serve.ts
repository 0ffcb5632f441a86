/** `budget-mcp serve`: the MCP server, for one host on stdio or for any number of hosts by HTTP. */
import { once } from 'node:events';
import { systemClock } from '../../base/clock.ts';
import { invalidConfig } from '../../base/errors.ts';
import { createLog, type Logger } from '../../base/log.ts';
import type { EndedRequest } from '../../transports/http/observed-request.ts';
import type { WorkerPlace } from '../../transports/http/workers.ts';
import { summaryOf } from '../../transports/messages.ts';
import { serveStdio } from '../../transports/stdio.ts';
import { composeStart, type ServerEnvironment } from '../compose/compose.ts';
import type { Config } from '../config/load-config.ts';
import type { ProcessContext } from './sign-in-context.ts';

/** When `signal` is aborted, the server stops. */
export async function runServe(
  config: Config,
  { program, signal }: Pick<ProcessContext, 'program' | 'signal'>,
): Promise<void> {
  const log = createLog(config.logLevel);
  const environment = { clock: systemClock, log, program };
  const isInRedis = config.redisUrl !== undefined || config.redisUrlFile !== undefined;
  if (isInRedis && !config.hosted)
    throw invalidConfig('--redis-url is for servers that are started with --hosted.');
  if (config.http) return serveByHttp(config, environment, signal);
  const app = await composeStart(config, environment);
  if (process.stdin.isTTY) process.stderr.write(waitingText(config));
  try {
    await serveStdio(app.createServer, {
      clock: systemClock,
      signal,
      onError: (error) => log.warn({ error: summaryOf(error) }, 'transport error'),
      load: app.load,
      firstMethods: app.firstMethods,
    });
  } finally {
    await app.close();
  }
}

/** A person who starts the server in a terminal sees nothing else. */
const waitingText = ({ demo }: Config) =>
  `budget-mcp waits for a host on its standard input. To connect one, end this with Ctrl-C and run \`budget-mcp install <host>${demo ? ' --demo' : ''}\`: the host then starts it by itself.\n`;

async function serveByHttp(
  settings: Config,
  environment: ServerEnvironment,
  signal: AbortSignal,
): Promise<void> {
  const { serveHttp, GRACE_MS } = await import('../../transports/http.ts');
  const { log } = environment;
  const { host, port, drainSeconds } = settings;
  const onBug = (error: Error) => log.error({ err: error }, 'internal error');
  const assignment = settings.workers > 1 ? await beWorker(settings, onBug, signal) : undefined;
  if (assignment === 'none') return;
  const place = assignment?.place;
  const config = { ...settings, ...assignment?.secrets };
  const measuring = await openMetrics(config, onBug, place);
  const metrics = measuring?.metrics;
  const measured = { ...environment, metrics };
  const { entry, notes, ended, close } = config.hosted
    ? await (await import('../compose/hosted.ts')).composeHostedServer(config, measured)
    : await (await import('./http-tokens.ts')).openForCallers(config, measured, onBug);
  const limits: Promise<void>[] = [];
  try {
    const onRequest = (request: EndedRequest) => {
      logRequest(log, request);
      metrics?.httpRequest(request);
    };
    const workers = place && { place, addressOf: (await import('../../hosting/public-limits.ts')).addressOf };
    const serving = await serveHttp({ host, port, entry, clock: systemClock, onBug, onRequest, workers });
    metrics?.watch(() => serving);
    const lines = [`budget-mcp listens on ${serving.url}`, ...(measuring?.notes ?? []), ...notes];
    if (!place || place.number === 0) process.stderr.write(lines.map((line) => `${line}\n`).join(''));
    const stop = ended ? AbortSignal.any([signal, ended]) : signal;
    if (!stop.aborted) {
      await once(stop, 'abort');
      serving.drain();
      // Without its storage it cannot answer anything meanwhile.
      if (drainSeconds > 0 && !ended?.aborted) await systemClock.sleep(drainSeconds * 1_000);
    }
    // The limit for closing the hosts' connections and the application together.
    limits.push(systemClock.sleep(GRACE_MS));
    await serving.close();
  } finally {
    await Promise.race([close(), ...limits]);
    await measuring?.close();
  }
  if (!signal.aborted) ended?.throwIfAborted();
}

/**
 * With `--workers`: what the process that has started this one says, or `none` after the workers have ended, if this is the
 * process that has started them. It serves the metrics of all.
 */
async function beWorker(config: Config, onBug: (error: Error) => void, signal: AbortSignal) {
  const { assignmentOfWorker, runWorkers } = await import('./workers.ts');
  const assignment = await assignmentOfWorker();
  if (assignment) return assignment;
  const { host, metricsPort: port } = config;
  let measuring: { close(): Promise<void> } | undefined;
  if (port !== undefined) {
    const { metricsOfWorkers, serveMetrics } = await import('../metrics/prometheus.ts');
    const served = await serveMetrics(metricsOfWorkers(), { host, port, onBug });
    process.stderr.write(`${served.note}\n`);
    measuring = served;
  }
  try {
    await runWorkers(config, config.workers, signal);
    return 'none' as const;
  } finally {
    await measuring?.close();
  }
}

/** Undefined if nothing is to be measured. The metrics of a worker are served by the process that has started it. */
async function openMetrics(
  { host, metricsPort: port }: Config,
  onBug: (error: Error) => void,
  place: WorkerPlace | undefined,
) {
  if (port === undefined) return undefined;
  const { createPrometheusMetrics, serveMetrics } = await import('../metrics/prometheus.ts');
  const metrics = createPrometheusMetrics();
  if (place) return { metrics, notes: [], close: async () => {} };
  const { note, close } = await serveMetrics(metrics, { host, port, onBug });
  return { metrics, notes: [note], close };
}

const CHECKS: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** One line for each request. At a higher level, anyone who can reach the server could fill the log. */
function logRequest(log: Logger, request: EndedRequest): void {
  const { method, route, status, isStream, caller } = request;
  const milliseconds = Math.round(request.milliseconds);
  const line = { method, route, status, milliseconds, ...(isStream && { stream: true }), caller };
  log[CHECKS.has(route) ? 'debug' : 'info'](line, 'request');
}
