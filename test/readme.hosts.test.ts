import { delimiter } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { loadConfig } from '../src/config/load-config.ts';
import { linkedProgram } from './linked-program.helper.ts';
import { readReadme } from './readme.ts';

const started = z.strictObject({
  type: z.literal('stdio').optional(),
  command: z.string(),
  args: z.array(z.string()),
});
// biome-ignore lint/suspicious/noTemplateCurlyInString: this is a variable of the host
const headers = z.strictObject({ Authorization: z.literal('Bearer ${BUDGET_MCP_HTTP_TOKEN}') });
const connected = z.strictObject({ type: z.literal('http'), url: z.url(), headers: headers.optional() });
const servers = z.strictObject({ budget: z.union([started, connected]) });
const block = z.union([z.strictObject({ mcpServers: servers }), z.strictObject({ servers })]);

const readme = readReadme();
const inJson = [...readme.matchAll(/```json\n(.*?)```/gs)].map(([, json = '']) => {
  const parsed = block.parse(JSON.parse(json));
  return ('servers' in parsed ? parsed.servers : parsed.mcpServers).budget;
});
const inShell = [...readme.matchAll(/^claude mcp add budget -- (\S+) (.*)$/gm)].map(
  ([, command = '', args = '']) => ({ command, args: args.split(' ') }),
);
const commands = [...inJson.filter((each) => 'command' in each), ...inShell];

test.each(commands)(
  'a host that starts the command in the README, $command $args, gets results',
  async ({ command, args }) => {
    const env = { PATH: `${await linkedProgram()}${delimiter}${process.env['PATH']}` };
    const client = new Client({ name: 'host', version: '1' });
    await client.connect(new StdioClientTransport({ command, args, env }));
    onTestFinished(() => client.close());
    expect(await client.callTool({ name: 'list_accounts', arguments: {} })).toMatchObject({
      content: [{ text: expect.stringContaining('"Checking"') }],
    });
  },
);

test('the URLs in the README are the default address of the server', () => {
  const { host, port } = loadConfig({ http: true }, {});
  const urls = inJson.flatMap((each) => ('url' in each ? [each.url] : []));
  expect(new Set(urls)).toEqual(new Set([`http://${host}:${port}/mcp`]));
});

test('the README has three commands for hosts', () => {
  expect(commands).toHaveLength(3);
});
