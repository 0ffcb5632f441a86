/**
 * The process of one conversation through the door: `door-host CONVERSATION SOCKET TASK ARM [OUT]`. It answers the commands
 * of `door.ts`, writes the recording at the end, and never says whether anything was right. When it was not used for a
 * quarter of an hour it ends by itself, and records nothing.
 */
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { parseJson } from '../../src/base/json.ts';
import { definitionText } from './arms.ts';
import { Conversation } from './conversation.ts';
import { ENDED } from './door.ts';
import { armSchema, RUNS, writeRecord } from './recording.ts';
import { loadTask, taskNamed } from './tasks.ts';

const IDLE_MS = 900_000;

const [name, socketPath, taskText, armText, out] = z
  .tuple([z.string(), z.string(), z.string(), z.string()], z.string())
  .parse(process.argv.slice(2));
const id = taskNamed(taskText);
const arm = armSchema.parse(armText);
const conversation = await Conversation.start({ id, task: await loadTask(id) }, arm);

const toolList = () => conversation.tools.map(definitionText).join('\n');
const spoken = () => `The person says:\n${conversation.says}`;

const requestSchema = z.union([
  z.tuple([z.literal('tools')]),
  z.tuple([z.enum(['tool', 'answer']), z.string()]),
  z.tuple([z.literal('call'), z.string(), z.string().default('{}')]),
]);

/** Returns what is to be printed. */
async function respond([command, argument, json]: z.output<typeof requestSchema>): Promise<string> {
  switch (command) {
    case 'tools':
      return toolList();
    case 'tool': {
      const tool = conversation.tools.find((each) => each.name === argument);
      return tool ? definitionText(tool) : `There is no tool ${argument}.`;
    }
    case 'call': {
      const args = z.record(z.string(), z.unknown()).safeParse(parseJson(json));
      if (!args.success) return 'The arguments have to be a JSON object.';
      const { text, isError } = await conversation.call(argument, args.data);
      return isError ? `Error: ${text}` : text;
    }
    case 'answer':
      await conversation.answer(argument);
      if (conversation.says !== undefined) return spoken();
      writeRecord(resolve(out ?? join(RUNS, 'open', `${name}.json`)), await conversation.record());
      await end();
      return ENDED;
  }
}

let isEnding = false;
async function end(): Promise<void> {
  isEnding = true;
  clearTimeout(idle);
  server.close();
  await conversation.close();
}

/** One request after the other, as a model makes its calls. */
let before: Promise<unknown> = Promise.resolve();
const server = createServer((incoming, response) => {
  idle.refresh();
  before = before
    .then(async () => {
      if (isEnding) return ENDED;
      const request = requestSchema.safeParse(parseJson(await text(incoming)));
      return request.success ? await respond(request.data) : 'That is not a command of the door.';
    })
    .catch((error: unknown) => `The conversation has failed: ${error}`)
    .then((answer) => response.end(answer));
});
const idle = setTimeout(end, IDLE_MS);
server.listen(socketPath, () => {
  const greeting = [`Conversation: ${name}`, conversation.instructions, `Tools:\n${toolList()}`, spoken()];
  process.send?.(greeting.join('\n\n'));
});
