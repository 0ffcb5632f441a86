/** Starts the embedded service in another process with the program's own command, and sends plain HTTP requests to it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { getBudget } from '../../src/operations/budgets.ts';
import { decodeResponse } from '../../src/session/http/codec.ts';
import type { HttpResponse } from '../../src/session/http/http-sender.ts';

export interface ServiceProcess {
  readonly baseUrl: string;
  readonly token: string;
  readonly budgetId: string;
  /** The requested number of transactions. */
  readonly transactions: number;
  /** Requests `path` below the budget. Throws if the request fails. */
  request(path: string, init?: { method: string; body?: unknown }): Promise<HttpResponse>;
  /** The current export of the budget. */
  export(): Promise<z.output<typeof getBudget.output>>;
  stop(): void;
}

const greeting = z.object({ base_url: z.string(), access_token: z.string() });
const budgetList = z.object({ data: z.object({ budgets: z.array(z.object({ id: z.string() })).min(1) }) });

/** `size` has further options of the command, such as `--months`. */
export async function startServiceProcess(
  transactions: number,
  size: readonly string[] = [],
): Promise<ServiceProcess> {
  const args = ['service', '--transactions', String(transactions), ...size, '--rate-limit', '1000000'];
  const child = spawn(process.execPath, ['test/.built/main.js', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  const { base_url, access_token } = greeting.parse(JSON.parse(String(line)));
  const fetchPath = async (
    path: string,
    init?: { method: string; body?: unknown },
  ): Promise<HttpResponse> => {
    // Lets this process notice idle connections that were closed during a measurement.
    await setImmediate();
    const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' };
    const { method = 'GET', body } = init ?? {};
    const response = await fetch(base_url + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return { status: response.status, headers: {}, body: text };
  };
  const { data } = budgetList.parse(JSON.parse((await fetchPath('/budgets')).body));
  const budgetId = data.budgets[0]?.id ?? '';
  const request: ServiceProcess['request'] = (path, init) => fetchPath(`/budgets/${budgetId}${path}`, init);
  return {
    baseUrl: base_url,
    token: access_token,
    budgetId,
    transactions,
    request,
    export: async () => decodeResponse(getBudget, await request('')),
    stop: () => {
      child.kill();
    },
  };
}
