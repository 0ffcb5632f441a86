/** One endpoint for all callers: the server of one person. The settings say who may call. */
import { createMiddleware } from 'hono/factory';
import { repeat } from '../../base/background.ts';
import type { Access } from './access.ts';
import type { HttpEntry } from './app.ts';
import { callersOf } from './callers.ts';
import { createEndpoint, type EndpointDeps } from './endpoint.ts';
import { guards, tokenCheck } from './guards.ts';
import type { RequestContext } from './request-context.ts';

export interface SingleEndpointDeps extends EndpointDeps {
  readonly access: Access;
  readonly onBug: (error: Error) => void;
}

/** For one caller, streams included: enough for 64 hosts that use the same token. */
const MAX_CONCURRENT = 256;
/** Each request checks its own token. This check is for callers that only have streams open. */
const TOKENS_CHECK_MS = 10_000;

export function createSingleEndpoint({ access, onBug, ...deps }: SingleEndpointDeps): HttpEntry {
  const { clock } = deps;
  const endpoint = createEndpoint(deps);
  const listeners = new Set<(caller: string) => void>();
  const callers =
    access.tokens &&
    callersOf(access.tokens, (caller) => {
      endpoint.endSessionsOf(caller);
      for (const listener of listeners) listener(caller);
    });
  const closing = new AbortController();
  const { signal } = closing;
  if (callers) void repeat({ work: () => callers.refresh(), everyMs: TOKENS_CHECK_MS, clock, signal, onBug });
  return {
    guards: [
      ...guards(access, callers && tokenCheck(callers)),
      createMiddleware<RequestContext>((c, next) => {
        c.set('endpoint', endpoint);
        c.set('limits', [{ of: c.var.caller, concurrent: MAX_CONCURRENT }]);
        return next();
      }),
    ],
    onAccessEnded: (listener) => void listeners.add(listener),
    finish: () => endpoint.finish(),
    async close() {
      closing.abort();
      await endpoint.close();
    },
    isReady: async () => true,
  };
}
