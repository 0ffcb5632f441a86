/**
 * Turns what the server reports about its work into metrics of Prometheus, and serves them at `/metrics`, on a port of their own,
 * so that the public address of the server never shows them. Loaded only with `--metrics-port`.
 */
import { createServer } from 'node:http';
import prometheus from 'prom-client';
import { closeListener } from '../../auth/local-listener.ts';
import { errorOf } from '../../base/errors.ts';
import type { Levels, Metrics } from '../../base/metrics.ts';
import { formatHostForUrl } from '../../transports/http/access.ts';
import { listen } from '../../transports/http.ts';

const { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } = prometheus;

/** All metrics, in the text format of Prometheus. */
interface MetricsText {
  readonly contentType: string;
  text(): Promise<string>;
}

/** Of a few programs that collect metrics. */
const MAX_CONNECTIONS = 32;

/** From an answer out of memory to the time limit of a call. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
/** The service allows 200 requests in an hour (docs/interface.md, Limits). */
const LEFT = [0, 5, 10, 20, 50, 100, 150, 200];

const levels = [
  ['requestsInProgress', 'budget_mcp_http_requests_in_progress', 'Requests of hosts in progress'],
  ['openStreams', 'budget_mcp_http_streams_open', 'Open streams of events'],
  ['sessions', 'budget_mcp_sessions_open', 'Sessions of the older protocol era'],
  ['openGrants', 'budget_mcp_grants_open', 'Grants that are in memory'],
  ['cachedBytes', 'budget_mcp_cache_bytes', 'Memory of cached budgets, estimated'],
  [
    'requestsLeft',
    'budget_mcp_service_requests_left_lowest',
    'The fewest requests that are left for one of the open sign-ins, by its last response',
  ],
] as const satisfies readonly (readonly [level: keyof Levels, name: string, help: string])[];

/** The metrics of all workers of this process as one, those of the processes themselves included. */
export function metricsOfWorkers(): MetricsText {
  const all = new AggregatorRegistry();
  return { contentType: all.contentType, text: () => all.clusterMetrics() };
}

export function createPrometheusMetrics(): Metrics & MetricsText {
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register });
  // Answers the process that has started this one, if it is a worker.
  AggregatorRegistry.setRegistries(register);
  new AggregatorRegistry();
  const watched = new Set<() => Levels>();

  const seconds = <Label extends string>(label: Label, name: string, help: string) =>
    new Histogram({ name, help, labelNames: [label], buckets: SECONDS, registers });
  const httpRequests = new Counter({
    name: 'budget_mcp_http_requests_total',
    help: 'Requests of hosts that have ended',
    labelNames: ['route', 'method', 'status'],
    registers,
  });
  const httpSeconds = seconds(
    'route',
    'budget_mcp_http_request_duration_seconds',
    'Time from the headers of a request to the end of its answer, without streams',
  );
  const toolCalls = new Counter({
    name: 'budget_mcp_tool_calls_total',
    help: 'Calls of tools that have ended, by outcome, and by whether the call needed a request to the service',
    labelNames: ['tool', 'outcome', 'source'],
    registers,
  });
  const toolSeconds = seconds(
    'tool',
    'budget_mcp_tool_call_duration_seconds',
    'Time that calls of tools take',
  );
  const serviceRequests = new Counter({
    name: 'budget_mcp_service_requests_total',
    help: 'Requests to the budgeting service, by the class of the status, 429, or the error code',
    labelNames: ['route', 'outcome'],
    registers,
  });
  const serviceSeconds = seconds(
    'route',
    'budget_mcp_service_request_duration_seconds',
    'Time that requests to the budgeting service take',
  );
  const requestsLeft = new Histogram({
    name: 'budget_mcp_service_requests_left',
    help: 'Requests that were left in the hour after each response of the service',
    buckets: LEFT,
    registers,
  });
  for (const [level, name, help] of levels)
    new Gauge({
      name,
      help,
      registers,
      aggregator: level === 'requestsLeft' ? 'min' : 'sum',
      collect() {
        const value = levelOf(level, watched);
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });

  return {
    contentType: register.contentType,
    text: () => register.metrics(),
    httpRequest({ route, method, status, milliseconds, isStream }) {
      httpRequests.inc({ route, method, status: classOf(status) });
      if (!isStream) httpSeconds.observe({ route }, milliseconds / 1_000);
    },
    toolCall({ tool, outcome, requests, milliseconds }) {
      toolCalls.inc({ tool, outcome, source: requests === 0 ? 'memory' : 'service' });
      toolSeconds.observe({ tool }, milliseconds / 1_000);
    },
    serviceRequest({ route, outcome, milliseconds, left }) {
      serviceRequests.inc({ route, outcome: typeof outcome === 'number' ? outcomeOf(outcome) : outcome });
      serviceSeconds.observe({ route }, milliseconds / 1_000);
      if (left !== undefined) requestsLeft.observe(left);
    },
    watch(read) {
      watched.add(read);
      return () => watched.delete(read);
    },
  };
}

/** Undefined if no part of the server has the value now. */
function levelOf(name: keyof Levels, watched: ReadonlySet<() => Levels>): number | undefined {
  const values = [...watched].flatMap((read) => read()[name] ?? []);
  if (values.length === 0) return undefined;
  return name === 'requestsLeft' ? Math.min(...values) : values.reduce((sum, value) => sum + value, 0);
}

const classOf = (status: number) => (status === 0 ? 'none' : `${Math.floor(status / 100)}xx`);

/** A 429 must not happen: the server counts its requests itself. */
const outcomeOf = (status: number) => (status === 429 ? '429' : classOf(status));

/** `port` 0 means any free port. Throws `invalid_configuration` if the address cannot be used. */
export async function serveMetrics(
  metrics: MetricsText,
  { host, port, onBug }: { host: string; port: number; onBug: (error: Error) => void },
) {
  const server = createServer(({ url = '', method }, response) => {
    if (url.split('?', 1)[0] !== '/metrics' || method !== 'GET') {
      response.writeHead(404).end();
      return;
    }
    metrics.text().then(
      (text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text),
      (error: unknown) => {
        onBug(errorOf(error));
        response.writeHead(500).end();
      },
    );
  });
  server.maxConnections = MAX_CONNECTIONS;
  const url = `http://${formatHostForUrl(host)}:${await listen(server, host, port)}/metrics`;
  return {
    /** Such as `Metrics are at http://127.0.0.1:9464/metrics`. */
    note: `Metrics are at ${url}`,
    close: () => closeListener(server),
  };
}
