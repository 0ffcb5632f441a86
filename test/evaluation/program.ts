/**
 * The built program as a host starts it for one conversation: over stdio, with elicitation and a home of its own. Its
 * clock is that of the conversation. It stands still between the calls, so that it makes no difference how long a model thinks.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { z } from 'zod';
import { answerValidators } from '../answer-validators.helper.ts';
import { ClockFile } from '../programs/clock-file.helper.ts';
import type { ToolAnswer, Tools } from './arms.ts';
import { NOW, type StartedHousehold } from './households.ts';
import { startServiceLine } from './service-line.ts';
import type { Task } from './task.ts';

const PROGRAM = join(import.meta.dirname, '../.built/main.js');
const PRELOAD = join(import.meta.dirname, '../../node_modules/.cache/evaluation/program-preload.mjs');

/** A call comes so long after the one before. The server then looks for changes elsewhere. */
const BETWEEN_CALLS_MS = 10_000;
/** How fast the clock runs during a call. It is slow, so that a slow machine reads nothing again because it has grown old. */
const SPEED = 0.2;
/** In this time the program ends timers that are due. */
const SETTLING_MS = 20;

const resultSchema = z.object({
  content: z.array(z.object({ type: z.literal('text'), text: z.string() })),
  isError: z.boolean().default(false),
});

export interface StartedProgram extends Tools {
  /** The server's own instructions, which hosts pass on to the model. */
  readonly instructions: string;
  readonly requests: number;
  close(): Promise<void>;
}

export interface ProgramOptions {
  readonly fault: Task['fault'];
  /** Whether the person agrees to the change that the server asks about now. */
  readonly agrees: () => boolean;
  /** The files of the bank, by their names. Without them there is no folder. */
  readonly statements?: Readonly<Record<string, string>> | undefined;
}

export async function startProgram(
  { baseUrl, accessToken }: StartedHousehold,
  { fault, agrees, statements }: ProgramOptions,
): Promise<StartedProgram> {
  const home = await mkdtemp(join(tmpdir(), 'budget-mcp-evaluation-'));
  const clockPath = join(home, 'clock');
  const clock = new ClockFile(clockPath, NOW);
  const line = await startServiceLine(new URL(baseUrl).origin, clock.service, fault);
  const client = new Client(
    { name: 'evaluation', version: '1' },
    { capabilities: { elicitation: { form: {} } }, jsonSchemaValidator: answerValidators },
  );
  client.setRequestHandler('elicitation/create', () =>
    agrees() ? { action: 'accept', content: {} } : { action: 'decline' },
  );
  const folder = join(home, 'statements');
  await mkdir(folder);
  for (const [name, content] of Object.entries(statements ?? {}))
    await writeFile(join(folder, name), content);
  const env = {
    ...(statements && { BUDGET_MCP_STATEMENTS: folder }),
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    TZ: 'UTC',
    CLOCK_FILE: clockPath,
    BUDGET_MCP_BASE_URL: `${line.url}/v1`,
    BUDGET_MCP_TOKEN: accessToken,
  };
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['--import', PRELOAD, PROGRAM, 'serve'],
    env,
  });
  await client.connect(transport);
  const { tools } = await client.listTools();

  async function call(name: string, args: Readonly<Record<string, unknown>>): Promise<ToolAnswer> {
    clock.advance(BETWEEN_CALLS_MS);
    await setTimeout(SETTLING_MS);
    try {
      const result = await clock.passing(client.callTool({ name, arguments: { ...args } }), SPEED);
      const { content, isError } = resultSchema.parse(result);
      return { text: content.map(({ text }) => text).join('\n'), isError };
    } catch (error) {
      // Such as a call of a tool that does not exist. Hosts show the message to the model.
      return { text: error instanceof Error ? error.message : String(error), isError: true };
    }
  }

  return {
    tools: tools.map(({ name, title, description = '', inputSchema, _meta }) => ({
      name,
      title,
      description,
      inputSchema,
      isAlwaysLoaded: _meta?.['anthropic/alwaysLoad'] === true,
    })),
    instructions: client.getInstructions() ?? '',
    call,
    get requests() {
      return line.requests;
    },
    async close() {
      await client.close();
      line.close();
      clock.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}
