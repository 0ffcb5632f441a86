/** Answers the requests for prompts, from the texts of `prompt-texts.ts`. */
import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { quote } from '../answers/text.ts';
import type { JsonObject } from '../base/json.ts';
import type { FeatureList } from './features.ts';
import type { Prompt } from './prompt-texts.ts';

export function handlePrompts(server: Server, prompts: FeatureList<Prompt>): void {
  server.setRequestHandler('prompts/list', () => ({
    prompts: prompts.available.map(({ name, title, description, arguments: args }) => ({
      name,
      title,
      description,
      arguments: Object.entries(args).map(([name, { description, isRequired = false }]) => ({
        name,
        description,
        required: isRequired,
      })),
    })),
  }));
  server.setRequestHandler('prompts/get', ({ params: { name, arguments: args } }) => {
    const prompt = prompts.get(name);
    const text = renderPrompt(prompt, parseArguments(prompt, args));
    return { description: prompt.description, messages: [{ role: 'user', content: { type: 'text', text } }] };
  });
}

const optionalText = z.string().optional();
const requiredText = z.string().trim().min(1);

/** Throws a `ProtocolError`. */
function parseArguments(prompt: Prompt, args: JsonObject = {}): JsonObject {
  const fields = Object.entries(prompt.arguments).map(([name, { isRequired }]) => [
    name,
    isRequired ? requiredText : optionalText,
  ]);
  const parsed = z.object(Object.fromEntries(fields)).safeParse(args);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Invalid arguments for prompt ${prompt.name}: ${problems.join(', ')}`,
  );
}

/** Hosts send an empty text for an argument that the user left empty. */
function renderPrompt(prompt: Prompt, args: JsonObject): string {
  const filled = Object.entries(args).filter(([, value]) => typeof value === 'string' && value.trim() !== '');
  return prompt.text(Object.fromEntries(filled.map(([name, value]) => [name, quote(String(value))])));
}
