/** Registers the prompts of `prompt-texts.ts`. Their arguments complete to names of entities in the budget. */
import { completable, type McpServer, type RegisteredPrompt } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { quote } from '../format/text.ts';
import type { Operation } from '../operations/operation.ts';
import type { JsonObject } from '../platform/json.ts';
import type { Tool } from '../tools/tool.ts';
import type { Completions } from './completions.ts';
import { type Argument, type Prompt, prompts } from './prompt-texts.ts';

export interface PromptDeps {
  readonly tools: readonly Tool[];
  readonly completions: Completions;
}

/** Registers the prompts whose tools are all enabled. Returns each with its tools. */
export function registerPrompts(
  server: McpServer,
  { tools, completions }: PromptDeps,
): { readonly registered: RegisteredPrompt; readonly operations: readonly Operation[] }[] {
  const enabled = new Set(tools.map(({ name }) => name));
  return prompts
    .filter((prompt) => prompt.tools.every(({ name }) => enabled.has(name)))
    .map((prompt) => {
      const { name, title, description, tools } = prompt;
      const argsSchema = argumentsSchema(prompt, completions);
      const registered = server.registerPrompt(name, { title, description, argsSchema }, (args) => ({
        description,
        messages: [{ role: 'user', content: { type: 'text', text: renderPrompt(prompt, args) } }],
      }));
      return { registered, operations: tools };
    });
}

/** Created for each server, because the SDK stores the completion function in the schema. */
function argumentsSchema(prompt: Prompt, completions: Completions) {
  const fields = Object.entries(prompt.arguments).map(([name, argument]) => [
    name,
    argumentSchema(argument, completions),
  ]);
  return z.object(Object.fromEntries(fields));
}

function argumentSchema(
  { description, isRequired, completes }: Argument,
  completions: Completions,
): z.ZodType {
  const text = (isRequired ? z.string().trim().min(1) : z.string()).describe(description);
  const field =
    completes === undefined
      ? text
      : completable(text, (typed, context) =>
          completions.completeName(completes, typed, context?.arguments?.['budget']),
        );
  return isRequired ? field : z.optional(field);
}

/** Hosts send an empty text for an argument that the user left empty. */
function renderPrompt(prompt: Prompt, args: JsonObject): string {
  const filled = Object.entries(args).filter(([, value]) => typeof value === 'string' && value.trim() !== '');
  return prompt.text(Object.fromEntries(filled.map(([name, value]) => [name, quote(String(value))])));
}
