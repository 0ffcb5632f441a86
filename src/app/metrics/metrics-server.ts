/** Serves the metrics at `/metrics`, on a port of their own, so that the public address of the server never shows them. */
import { createServer } from 'node:http';
import { closeListener } from '../../auth/local-listener.ts';
import { formatHostForUrl } from '../../transports/http/access.ts';
import { listen } from '../../transports/http.ts';
import type { PrometheusMetrics } from './prometheus.ts';

export interface MetricsServerOptions {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  readonly metrics: Pick<PrometheusMetrics, 'contentType' | 'text'>;
  readonly onBug: (error: Error) => void;
}

/** Of a few programs that collect metrics. */
const MAX_CONNECTIONS = 32;

/** Throws `invalid_configuration` if the address cannot be used. */
export async function serveMetrics({ host, port, metrics, onBug }: MetricsServerOptions) {
  const server = createServer(({ url = '', method }, response) => {
    if (url.split('?', 1)[0] !== '/metrics' || method !== 'GET') {
      response.writeHead(404).end();
      return;
    }
    metrics.text().then(
      (text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text),
      (error: unknown) => {
        onBug(error instanceof Error ? error : new Error(String(error)));
        response.writeHead(500).end();
      },
    );
  });
  server.maxConnections = MAX_CONNECTIONS;
  const url = `http://${formatHostForUrl(host)}:${await listen(server, host, port)}/metrics`;
  return {
    /** Such as `http://127.0.0.1:9464/metrics`. */
    url,
    close: () => closeListener(server),
  };
}
