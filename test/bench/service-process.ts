/** The embedded service in a process of its own, as anybody starts it, and plain HTTP requests to it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { decodeResponse } from '../../src/client/codec.ts';
import type { HttpResponse } from '../../src/client/http-sender.ts';
import { getBudget } from '../../src/operations/budgets.ts';

export interface ServiceProcess {
  readonly baseUrl: string;
  readonly token: string;
  readonly budgetId: string;
  /** How many transactions were asked for. */
  readonly transactions: number;
  /** Asks for `path` below the budget; throws unless it succeeds. */
  request(path: string, init?: { method: string; body?: unknown }): Promise<HttpResponse>;
  /** The budget as it is now. */
  export(): Promise<z.output<typeof getBudget.output>>;
  stop(): void;
}

const greeting = z.object({ base_url: z.string(), access_token: z.string() });
const budgetList = z.object({ data: z.object({ budgets: z.array(z.object({ id: z.string() })).min(1) }) });

export async function startServiceProcess(transactions: number): Promise<ServiceProcess> {
  const args = ['service', '--transactions', String(transactions), '--rate-limit', '1000000'];
  const child = spawn(process.execPath, ['dist/main.js', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  const { base_url, access_token } = greeting.parse(JSON.parse(String(line)));
  const ask = async (path: string, init?: { method: string; body?: unknown }): Promise<HttpResponse> => {
    // What was measured may have kept this process from seeing that an idle connection was closed.
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
  const { data } = budgetList.parse(JSON.parse((await ask('/budgets')).body));
  const budgetId = data.budgets[0]?.id ?? '';
  const request: ServiceProcess['request'] = (path, init) => ask(`/budgets/${budgetId}${path}`, init);
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
