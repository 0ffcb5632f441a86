/** `evaluate run`: conversations of a model behind the chat-completions interface with tools, which local runners offer too. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { parseJson } from '../../src/base/json.ts';
import type { ToolDefinition } from './arms.ts';
import { Conversation } from './conversation.ts';
import { armSchema, collect, placeOf, RUNS, writeRecord } from './recording.ts';
import { chosenOf, taskFolders } from './tasks.ts';

/** A model that has made so many calls in a turn will not come to an end. */
const MAX_CALLS = 60;
const TIMEOUT_MS = 600_000;

const messageSchema = z.looseObject({
  content: z.string().nullish(),
  tool_calls: z
    .array(
      z.looseObject({ id: z.string(), function: z.looseObject({ name: z.string(), arguments: z.string() }) }),
    )
    .nullish(),
});
const completionSchema = z.looseObject({
  choices: z.tuple([z.looseObject({ message: messageSchema })], z.unknown()),
});
const argumentsSchema = z.record(z.string(), z.unknown());

const USAGE =
  'Usage: npm run evaluate -- run --endpoint URL --model NAME [--arm ARM] [--tasks LIST|subset] [--times N] [--api-key-env NAME]';

/**
 * Holds a conversation about each task, and collects each round in a recording. Returns what is to be printed. What was
 * begun and not ended goes on with the conversations that lack.
 */
export async function run(
  args: readonly string[],
  { runs = RUNS, source = taskFolders } = {},
): Promise<string> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      endpoint: { type: 'string' },
      model: { type: 'string' },
      arm: { type: 'string', default: 'all' },
      tasks: { type: 'string', default: '*' },
      times: { type: 'string', default: '1' },
      'api-key-env': { type: 'string', default: '' },
    },
  });
  const { endpoint, model, tasks, times } = values;
  if (endpoint === undefined || model === undefined) throw new Error(USAGE);
  const arm = armSchema.parse(values.arm);
  const ids = chosenOf(source.ids(), tasks);
  const ask = chatModel({ endpoint, model, key: process.env[values['api-key-env']] });
  const written: string[] = [];
  for (let number = 1; number <= Number(times); number += 1) {
    const { path } = placeOf({ model, arm, number, runs });
    if (existsSync(path))
      throw new Error(`${path} is there already. Move it away, or give the model another name.`);
    const folder = join(runs, 'open', `${model.replaceAll(/\W+/g, '-')}-${arm}-${number}`);
    for (const id of ids) {
      const open = join(folder, `${id}.json`);
      if (existsSync(open)) continue;
      const conversation = await Conversation.start({ id, task: await source.load(id) }, arm);
      try {
        await converse(conversation, ask);
        writeRecord(open, await conversation.record());
      } finally {
        await conversation.close();
      }
    }
    written.push(collect(folder, { model, number, runs }));
    rmSync(folder, { recursive: true });
  }
  return written.join('\n');
}

type Message = z.output<typeof messageSchema>;
type Ask = (messages: readonly unknown[], tools: readonly ToolDefinition[]) => Promise<Message>;

/** Until the person says nothing more. */
async function converse(conversation: Conversation, ask: Ask): Promise<void> {
  const messages: unknown[] = [{ role: 'system', content: conversation.instructions }];
  while (conversation.says !== undefined) {
    messages.push({ role: 'user', content: conversation.says });
    await conversation.answer(await answerOf(conversation, ask, messages));
  }
}

/** Resolves with the model's words after its calls. The calls are added to `messages`. */
async function answerOf(conversation: Conversation, ask: Ask, messages: unknown[]): Promise<string> {
  for (let calls = 0; calls < MAX_CALLS; ) {
    const message = await ask(messages, conversation.tools);
    messages.push({ role: 'assistant', ...message });
    const { content, tool_calls } = message;
    if (!tool_calls?.length) return content ?? '';
    for (const { id, function: called } of tool_calls) {
      const args = argumentsSchema.safeParse(parseJson(called.arguments || '{}'));
      const text = args.success
        ? (await conversation.call(called.name, args.data)).text
        : 'The arguments have to be a JSON object.';
      messages.push({ role: 'tool', tool_call_id: id, content: text });
      calls += 1;
    }
  }
  return `No answer after ${MAX_CALLS} calls.`;
}

/** `endpoint` is what `/chat/completions` is appended to. Throws if it does not answer as the interface wants. */
function chatModel({
  endpoint,
  model,
  key,
}: {
  readonly endpoint: string;
  readonly model: string;
  readonly key: string | undefined;
}): Ask {
  return async (messages, tools) => {
    const functions = tools.map(({ name, description, inputSchema }) => ({
      type: 'function',
      function: { name, description, parameters: inputSchema },
    }));
    const response = await fetch(`${endpoint.replace(/\/$/, '')}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
      body: JSON.stringify({ model, messages, tools: functions }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) throw new Error(`The endpoint answered ${response.status}: ${await response.text()}`);
    return completionSchema.parse(await response.json()).choices[0].message;
  };
}
