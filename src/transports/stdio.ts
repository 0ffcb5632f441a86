/** The server on standard input and output, one host per process. Nothing but protocol frames goes to stdout. */
import type { McpServer } from '@modelcontextprotocol/server';
import { serveStdio as serve } from '@modelcontextprotocol/server/stdio';

export interface StdioOptions {
  readonly signal: AbortSignal;
  readonly onError: (error: Error) => void;
}

/** Serves both protocol eras until the host closes the pipe or `signal` is aborted. */
export async function serveStdio(
  createServer: () => McpServer,
  { signal, onError }: StdioOptions,
): Promise<void> {
  const handle = serve(createServer, { onerror: onError });
  await new Promise<void>((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  await handle.close();
}
