/**
 * `budget-mcp call`: calls a tool once and prints what an assistant would read. It is a host of its own, in the process of the
 * server, with the sign-in and the state of all servers. Its caller is `terminal`.
 */
import { Client, InMemoryTransport, ProtocolError } from '@modelcontextprotocol/client';
import { closest } from 'fastest-levenshtein';
import packageJson from '../../../package.json' with { type: 'json' };
import { systemClock } from '../../base/clock.ts';
import { invalidInput } from '../../base/errors.ts';
import { withHostRequest } from '../../base/host-request.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../base/json.ts';
import { createLog } from '../../base/log.ts';
import { word } from '../../base/quote.ts';
import { compose } from '../compose/compose.ts';
import type { Config } from '../config/load-config.ts';
import { promptYes } from './prompts.ts';
import type { ProcessContext } from './sign-in-context.ts';

/** A person may think about a question for longer than the SDK waits by default. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * `json` are the arguments. With `structured`, the structured content is printed. Returns whether the call succeeded. Throws
 * `invalid_input` for arguments that are no JSON object, and for an unknown tool.
 */
export async function runCall(
  tool: string,
  json: string,
  config: Config,
  { io, program, signal }: ProcessContext,
): Promise<boolean> {
  const args = parseJson(json);
  if (!isJsonObject(args))
    throw invalidInput(`The arguments have to be a JSON object, such as '{"month": "current"}'.`);
  const log = createLog(config.logLevel);
  const composition = await compose(config, { clock: systemClock, log, program });
  const canAsk = io.stdin.isTTY === true;
  const client = new Client(
    { name: 'budget-mcp call', version: packageJson.version },
    { capabilities: canAsk ? { elicitation: { form: {} } } : {} },
  );
  if (canAsk)
    client.setRequestHandler('elicitation/create', async ({ params: { message } }) =>
      (await promptYes(message, { ...io, signal }))
        ? { action: 'accept', content: {} }
        : { action: 'decline' },
    );
  const call = (given: JsonObject) =>
    client.callTool({ name: tool, arguments: given }, { signal, timeout: LONGEST_TIMER_MS });
  let end = (_isPrinted: boolean) => {};
  const answered = new Promise<boolean>((resolve) => {
    end = resolve;
  });
  try {
    const [near, far] = InMemoryTransport.createLinkedPair();
    await composition.createServer('terminal').connect(far);
    await client.connect(near);
    return await withHostRequest({ waitedMs: () => 0, answered }, async () => {
      // Where nobody can be asked, `confirm` counts after a dry run, as with every host.
      if (!canAsk && 'confirm' in args) await call({ ...args, dry_run: true });
      const { content, structuredContent, isError = false } = await call(args);
      const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
      const printed = config.structured && !isError ? JSON.stringify(structuredContent, null, 2) : text;
      const output = isError ? io.stderr : io.stdout;
      end(await new Promise<boolean>((resolve) => output.write(`${printed}\n`, (error) => resolve(!error))));
      return !isError;
    });
  } catch (error) {
    if (!(error instanceof ProtocolError) || signal.aborted) throw error;
    const names = (await client.listTools()).tools.map(({ name }) => name);
    if (names.includes(tool)) throw error;
    throw invalidInput(`There is no tool ${word(tool)}. Did you mean ${closest(tool, names)}?`);
  } finally {
    end(false);
    await client.close();
    await composition.close();
  }
}
