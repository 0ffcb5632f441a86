import { delimiter } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { loadConfig } from '../src/app/config/load-config.ts';
import { readDocument } from './documents.ts';
import { linkedProgram } from './linked-program.helper.ts';

const headers = z.strictObject({ Authorization: z.string().regex(/^Bearer \$\{BUDGET_MCP_HTTP_TOKEN\}$/) });
const connected = z.strictObject({ type: z.literal('http'), url: z.url(), headers: headers.optional() });
const block = z.strictObject({ mcpServers: z.strictObject({ budget: connected }) });

/** The commands after `--` in the lines for Claude Code. The blocks of all hosts have the same one. */
const commands = [...readDocument('docs/hosts.md').matchAll(/^claude mcp add .*budget -- (\S+) (.*)$/gm)].map(
  ([, command = '', args = '']) => ({ command, args: args.split(' ') }),
);

test.each(commands)(
  'a host that starts the command in docs/hosts.md, $command $args, gets results',
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

test('docs/hosts.md has one command for Claude Code', () => {
  expect(commands).toHaveLength(1);
});

test('the blocks in docs/http.md have the default address of the server', () => {
  const { host, port } = loadConfig({ http: true }, {});
  const urls = [...readDocument('docs/http.md').matchAll(/```json\n(.*?)```/gs)].map(
    ([, json = '']) => block.parse(JSON.parse(json)).mcpServers.budget.url,
  );
  expect(urls).toHaveLength(2);
  expect(new Set(urls)).toEqual(new Set([`http://${host}:${port}/mcp`]));
});
