/** Whether a host connects to the server that its file names. All of them can say so without a login. */
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { catalogue } from '../../src/features/catalogue.ts';
import { isOffered } from '../../src/mcp/features.ts';
import type { Person } from './person.helper.ts';

/** `connected`, or what the host says instead. */
type Connection = (person: Person) => Promise<string>;

const listed =
  (command: string, line: RegExp): Connection =>
  async (person) => {
    const text = await person.run(command, ['mcp', 'list']);
    return line.test(text) ? 'connected' : text;
  };

const toolNames = catalogue
  .filter((tool) => isOffered(tool, { hasStatements: false, withViews: false }))
  .map(({ name }) => name);

const offered = (names: readonly string[]) =>
  toolNames.every((name) => names.includes(name)) ? 'connected' : `the tools ${names.join(', ')}`;

const serverList = z.object({
  result: z.object({
    data: z.array(z.object({ name: z.string(), tools: z.record(z.string(), z.unknown()) })),
  }),
});

/** `codex mcp list` only reads the file. The server behind its windows also connects, and lists the tools. */
const codex: Connection = async ({ home, env }) => {
  const child = spawn('codex', ['app-server'], { cwd: home, env, stdio: ['pipe', 'pipe', 'ignore'] });
  const requests = [
    { id: 1, method: 'initialize', params: { clientInfo: { name: 'test', version: '1' } } },
    { method: 'initialized' },
    { id: 2, method: 'mcpServerStatus/list', params: {} },
  ];
  for (const request of requests) child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`);
  try {
    for await (const line of createInterface(child.stdout)) {
      const message: unknown = JSON.parse(line);
      if (!z.object({ id: z.literal(2) }).safeParse(message).success) continue;
      const { data: list } = serverList.safeParse(message);
      const server = list?.result.data.find(({ name }) => name === 'budget');
      return server ? offered(Object.keys(server.tools)) : line;
    }
    return 'no answer';
  } finally {
    child.kill();
  }
};

const modelRequest = z.object({
  // Some tools of the host itself are of another type.
  tools: z.array(z.object({ function: z.object({ name: z.string() }).optional() })),
});

/** `copilot mcp list` only reads the file. With a model of one's own it needs no login, and offers the tools to it. */
const copilot: Connection = async (person) => {
  const names = new Set<string>();
  const model = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      const { success, data } = modelRequest.safeParse(JSON.parse(body));
      if (success)
        for (const tool of data.tools) names.add(tool.function?.name.replace(/^budget-/, '') ?? '');
      const delta = { role: 'assistant', content: 'Hello.' };
      const choices = [{ index: 0, delta, finish_reason: 'stop' }];
      const chunk = { id: '1', object: 'chat.completion.chunk', created: 1, model: 'any', choices };
      response.setHeader('content-type', 'text/event-stream');
      response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
    });
  });
  await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
  const { port } = z.object({ port: z.number() }).parse(model.address());
  try {
    const text = await person.run('copilot', ['-p', 'Hello', '--allow-all-tools'], {
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_TYPE: 'openai',
      COPILOT_PROVIDER_BASE_URL: `http://127.0.0.1:${port}/v1`,
      COPILOT_MODEL: 'gpt-5.5',
    });
    return names.size > 0 ? offered([...names]) : text;
  } finally {
    model.close();
  }
};

/** By the id of the host. */
export const connections: Readonly<Record<string, Connection>> = {
  'claude-code': listed('claude', /^budget: .* - ✔ Connected$/m),
  codex,
  'gemini-cli': listed('gemini', /^✓ budget: .* - Connected$/m),
  'qwen-code': listed('qwen', /^✓ budget: .* - Connected$/m),
  opencode: listed('opencode', /✓ budget connected$/m),
  'copilot-cli': copilot,
};
