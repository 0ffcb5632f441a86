import { MultiServerMCPClient } from '@langchain/mcp-adapters';

export async function connect({ command, args, url }) {
  const client = new MultiServerMCPClient({
    budget: url === undefined ? { transport: 'stdio', command, args } : { transport: 'http', url },
  });
  const tools = await client.getTools();
  return {
    tools: tools.map(({ name, schema }) => ({ name, parameters: schema })),
    call(name, sent) {
      const tool = tools.find((each) => each.name === name);
      // An error becomes a message to the model.
      return tool.invoke(sent).catch(({ message }) => message);
    },
    close: () => client.close(),
  };
}
