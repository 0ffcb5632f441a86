/** A server on the bare SDK with the given number of tools, which do nothing. `start-up.ts` starts its bundle. */
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const tools = Number(process.argv[2]);

serveStdio(() => {
  const server = new McpServer({ name: 'empty', version: '0.0.0' });
  for (let at = 1; at <= tools; at += 1) {
    const config = { description: 'Does nothing.', inputSchema: z.object({ text: z.string() }) };
    server.registerTool(`tool_${at}`, config, () => ({ content: [] }));
  }
  return server;
});
