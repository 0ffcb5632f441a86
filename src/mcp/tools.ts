/** Every operation as a tool. */
import type { McpServer, ToolAnnotations } from '@modelcontextprotocol/server';
import type { Effect } from '../operations/operation.ts';
import type { Answers } from './answers.ts';
import type { Surface } from './surface.ts';

/** All four, always: the defaults of the protocol are pessimistic. The world of a budget is closed. */
const annotations: Readonly<Record<Effect, ToolAnnotations>> = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  create: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  update: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  delete: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
};

export function registerTools(server: McpServer, surfaces: readonly Surface[], answers: Answers): void {
  for (const surface of surfaces) {
    const { name, title, description, effect } = surface.operation;
    server.registerTool(
      name,
      {
        title,
        description,
        inputSchema: surface.input,
        outputSchema: surface.output,
        annotations: annotations[effect],
      },
      async (args, { mcpReq }) => {
        try {
          const { structured, text } = await answers.answer(surface, args, mcpReq.signal);
          return { content: [{ type: 'text', text }], structuredContent: structured };
        } catch (error) {
          return { content: [{ type: 'text', text: answers.explain(error, name) }], isError: true };
        }
      },
    );
  }
}
