import { mcpToTool } from '@google/genai';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { textOf } from './text-of.mjs';

export async function connect({ command, args, url }) {
  const client = new Client({ name: 'genai', version: '1' });
  await client.connect(
    url === undefined
      ? new StdioClientTransport({ command, args })
      : new StreamableHTTPClientTransport(new URL(url)),
  );
  const tool = mcpToTool(client);
  const { functionDeclarations } = await tool.tool();
  return {
    tools: functionDeclarations.map(({ name, parametersJsonSchema }) => ({
      name,
      parameters: parametersJsonSchema,
    })),
    async call(name, sent) {
      const [{ functionResponse }] = await tool.callTool([{ name, args: sent }]);
      const { response } = functionResponse;
      return textOf(response.error ?? response);
    },
    close: () => client.close(),
  };
}
