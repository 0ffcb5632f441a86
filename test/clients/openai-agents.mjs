import { getAllMcpTools, MCPServerStdio, MCPServerStreamableHttp, RunContext } from '@openai/agents';

/** With schemas for OpenAI's strict mode. */
export async function connect({ command, args, url }) {
  // By default it waits for five seconds, which the start of the server may take on a busy machine.
  const wait = { clientSessionTimeoutSeconds: 60 };
  const server =
    url === undefined
      ? new MCPServerStdio({ command, args, ...wait })
      : new MCPServerStreamableHttp({ url, ...wait });
  await server.connect();
  const tools = await getAllMcpTools({ mcpServers: [server], convertSchemasToStrict: true });
  return {
    tools: tools.map(({ name, parameters }) => ({ name, parameters })),
    async call(name, sent) {
      const tool = tools.find((each) => each.name === name);
      const { text } = await tool.invoke(new RunContext(), JSON.stringify(sent));
      return text;
    },
    close: () => server.close(),
  };
}
