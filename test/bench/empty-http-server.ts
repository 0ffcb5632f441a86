/** A server on the bare SDK over HTTP, with the given number of tools. They return a constant. */
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const [tools = '1', constant = ''] = process.argv.slice(2);

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'empty', version: '0.0.0' });
  for (let at = 1; at <= Number(tools); at += 1) {
    const config = { description: 'Does nothing.', inputSchema: z.object({ text: z.string().optional() }) };
    server.registerTool(`tool_${at}`, config, () => ({ content: [{ type: 'text', text: constant }] }));
  }
  return server;
});

const server = createServer(getRequestListener((request) => handler.fetch(request))).listen(
  0,
  '127.0.0.1',
  () => {
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    process.stderr.write(`listens on http://127.0.0.1:${port}/mcp\n`);
  },
);
