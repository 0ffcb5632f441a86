/** Starts a service over HTTP on a manual clock, and sends requests to it. */
import { z } from 'zod';
import { type Service, type ServiceOptions, startService } from '../../src/service/server.ts';
import { ManualClock } from '../manual-clock.helper.ts';

export type RunningService = Service & { clock: ManualClock };

export interface TestServiceOptions extends Partial<ServiceOptions> {
  /** The time at the start. */
  readonly at?: string;
}

/** By default the rate limit is out of reach and the budget is small. */
export async function startTestService({
  at = '2026-11-21T12:00:00Z',
  ...options
}: TestServiceOptions = {}): Promise<RunningService> {
  const clock = new ManualClock(at);
  const service = await startService({ clock, rateLimit: 100_000, transactions: 300, ...options });
  return Object.assign(service, { clock });
}

export interface TestResponse {
  status: number;
  headers: Headers;
  /** The body as JSON. */
  body: unknown;
}

/** Sends a request to `path` below the base URL, with the demo user's token unless `init` has headers. */
export async function sendRequest(
  service: Service,
  path: string,
  init: RequestInit = {},
): Promise<TestResponse> {
  const response = await fetch(service.baseUrl + path, { headers: bearer(service.accessToken), ...init });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

export function bearer(token: string): Record<string, string> {
  return { Authorization: `Bearer ${token}` };
}

/** Enters a transaction as a person does in the app. */
export async function enterByHand(service: Service, budgetId: string, transaction: object): Promise<void> {
  const { status, body } = await sendRequest(service, `/budgets/${budgetId}/transactions`, {
    method: 'POST',
    headers: { ...bearer(service.accessToken), 'content-type': 'application/json' },
    body: JSON.stringify({ transaction }),
  });
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
}

/** The `data` of a successful response, parsed with the given shape. */
export async function dataOf<Shape extends z.ZodRawShape>(
  service: Service,
  path: string,
  shape: Shape,
): Promise<z.output<z.ZodObject<Shape, z.core.$strict>>> {
  const { status, body } = await sendRequest(service, path);
  if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
  return z.strictObject({ data: z.strictObject(shape) }).parse(body).data;
}

/** The status of a response and the three strings of its error. */
export async function errorOf(service: Service, path: string, init?: RequestInit) {
  const { status, body } = await sendRequest(service, path, init);
  const { error } = ErrorBody.parse(body);
  return { status, ...error };
}

const ErrorBody = z.strictObject({
  error: z.strictObject({ id: z.string(), name: z.string(), detail: z.string().min(1) }),
});
