/** The prompts of `prompt-texts.ts` as hosts see them: with arguments that complete to the names of what there is. */
import { completable, type McpServer, type RegisteredPrompt } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { quote } from '../format/text.ts';
import type { Tool } from '../tools/tool.ts';
import type { Completions } from './completions.ts';
import { type Argument, type Prompt, prompts } from './prompt-texts.ts';

export interface PromptDeps {
  readonly tools: readonly Tool[];
  readonly completions: Completions;
}

/** Registers the prompts whose tools are all offered; gives those that are of no use where nothing can be written. */
export function registerPrompts(server: McpServer, { tools, completions }: PromptDeps): RegisteredPrompt[] {
  const offered = new Set(tools.map(({ name }) => name));
  return prompts
    .filter((prompt) => prompt.tools.every(({ name }) => offered.has(name)))
    .flatMap((prompt) => {
      const { name, title, description, tools } = prompt;
      const argsSchema = argumentsOf(prompt, completions);
      const registered = server.registerPrompt(name, { title, description, argsSchema }, (args) => ({
        description,
        messages: [{ role: 'user', content: { type: 'text', text: textOf(prompt, args) } }],
      }));
      return tools.some(({ kind }) => kind !== 'read') ? [registered] : [];
    });
}

/** Made for each server: the SDK keeps a field's completion in the field. */
function argumentsOf(prompt: Prompt, completions: Completions) {
  const fields = Object.entries(prompt.arguments).map(([name, argument]) => [
    name,
    fieldOf(argument, completions),
  ]);
  return z.object(Object.fromEntries(fields));
}

function fieldOf({ description, isRequired, completes }: Argument, completions: Completions): z.ZodType {
  const text = (isRequired ? z.string().trim().min(1) : z.string()).describe(description);
  const field =
    completes === undefined
      ? text
      : completable(text, (typed, context) =>
          completions.completeName(completes, typed, context?.arguments?.['budget']),
        );
  return isRequired ? field : z.optional(field);
}

/** Hosts send what a person left empty as an empty text. */
export function textOf(prompt: Prompt, args: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(args).filter(([, value]) => typeof value === 'string' && value.trim() !== '');
  return prompt.text(Object.fromEntries(given.map(([name, value]) => [name, quote(String(value))])));
}
