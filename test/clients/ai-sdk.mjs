import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio';
import { textOf } from './text-of.mjs';

export async function connect({ command, args, url }) {
  const client = await createMCPClient({
    transport: url === undefined ? new StdioTransport({ command, args }) : { type: 'http', url },
  });
  const tools = await client.tools();
  return {
    tools: Object.entries(tools).map(([name, { inputSchema }]) => ({
      name,
      parameters: inputSchema.jsonSchema,
    })),
    call: async (name, sent) => textOf(await tools[name].execute(sent, { toolCallId: '1', messages: [] })),
    close: () => client.close(),
  };
}
