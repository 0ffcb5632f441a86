import { RequestContext } from '@mastra/core/request-context';
import { makeCoreTool } from '@mastra/core/utils';
import { MCPClient } from '@mastra/mcp';
import { textOf } from './text-of.mjs';

/** OpenAI's models get schemas for strict mode. */
const model = {
  specificationVersion: 'v2',
  provider: 'openai.chat',
  modelId: 'gpt-5.5',
  supportsStructuredOutputs: true,
};

export async function connect({ command, args, url }) {
  const client = new MCPClient({
    servers: { budget: url === undefined ? { command, args } : { url: new URL(url) } },
  });
  const { budget } = await client.listToolsets();
  const tools = Object.entries(budget).map(([name, tool]) => ({
    name,
    tool: makeCoreTool(tool, { name, model, requestContext: new RequestContext(), logger: undefined }),
  }));
  return {
    tools: tools.map(({ name, tool }) => ({ name, parameters: tool.parameters.jsonSchema })),
    async call(name, sent) {
      const { tool } = tools.find((each) => each.name === name);
      const result = tool.execute(sent, { toolCallId: '1', messages: [] });
      // An error becomes a message to the model.
      return result.then(textOf, ({ message }) => message);
    },
    close: () => client.disconnect(),
  };
}
