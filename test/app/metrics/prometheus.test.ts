import { expect, it } from 'vitest';
import { createPrometheusMetrics } from '../../../src/app/metrics/prometheus.ts';

/** The samples of the server itself, without those of the process. */
const samplesOf = async (metrics: ReturnType<typeof createPrometheusMetrics>, name: string) =>
  (await metrics.text()).split('\n').filter((line) => line.startsWith(`budget_mcp_${name}`));

it('the levels of several parts are added up, and of the requests that are left the lowest counts', async () => {
  const metrics = createPrometheusMetrics();
  metrics.watch(() => ({ cachedBytes: 100, requestsLeft: 40 }));
  const stop = metrics.watch(() => ({ cachedBytes: 20, requestsLeft: 7 }));
  expect(await samplesOf(metrics, 'cache_bytes')).toEqual(['budget_mcp_cache_bytes 120']);
  const lowest = 'service_requests_left_lowest';
  expect(await samplesOf(metrics, lowest)).toEqual([`budget_mcp_${lowest} 7`]);
  stop();
  expect(await samplesOf(metrics, 'cache_bytes')).toEqual(['budget_mcp_cache_bytes 100']);
  expect(await samplesOf(metrics, lowest)).toEqual([`budget_mcp_${lowest} 40`]);
});

it('what no part of the server has is no sample, so that it does not look like none left', async () => {
  const metrics = createPrometheusMetrics();
  const stop = metrics.watch(() => ({ requestsLeft: 3 }));
  expect(await samplesOf(metrics, 'service_requests_left_lowest')).toHaveLength(1);
  stop();
  metrics.watch(() => ({ requestsLeft: undefined }));
  expect(await samplesOf(metrics, 'service_requests_left_lowest')).toEqual([]);
  expect(await samplesOf(metrics, 'grants_open')).toEqual([]);
});

it('statuses are counted by their class, and 429 by itself', async () => {
  const metrics = createPrometheusMetrics();
  for (const outcome of [200, 201, 404, 429, 'timed_out'])
    metrics.serviceRequest({ route: 'GET /user', outcome, milliseconds: 1 });
  const samples = await samplesOf(metrics, 'service_requests_total');
  expect(samples.map((line) => line.replace(/^.*outcome=/, ''))).toEqual([
    '"2xx"} 2',
    '"4xx"} 1',
    '"429"} 1',
    '"timed_out"} 1',
  ]);
});

it('the time of a stream is not counted, because its host decides how long it is', async () => {
  const metrics = createPrometheusMetrics();
  const request = { route: '/mcp', method: 'GET', status: 200, milliseconds: 3_600_000 };
  metrics.httpRequest({ ...request, isStream: true });
  expect(await samplesOf(metrics, 'http_requests_total')).toHaveLength(1);
  expect(await samplesOf(metrics, 'http_request_duration_seconds')).toEqual([]);
  metrics.httpRequest({ ...request, status: 0, milliseconds: 20, isStream: false });
  expect(await samplesOf(metrics, 'http_request_duration_seconds_sum')).toEqual([
    'budget_mcp_http_request_duration_seconds_sum{route="/mcp"} 0.02',
  ]);
});
