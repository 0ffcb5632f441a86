import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { connectionAdvice } from '../../../src/app/commands/install.ts';
import { hosts } from '../../../src/app/hosts/host-table.ts';
import { program, withoutState } from '../../hosts.helper.ts';

const directory = new URL('./', `file://${program}`);

const blockIn = (advice: string) =>
  z
    .strictObject({
      mcpServers: z.strictObject({
        budget: z.strictObject({ command: z.string(), args: z.array(z.string()) }),
      }),
    })
    .parse(JSON.parse(/^\{.*\}$/m.exec(advice)?.[0] ?? '')).mcpServers.budget;

test('a host that starts the pasted line gets the list of tools', async () => {
  const { command, args } = blockIn(connectionAdvice({ profile: 'default' }, directory));
  const client = new Client({ name: 'host', version: '1' });
  await client.connect(new StdioClientTransport({ command, args, env: withoutState }));
  onTestFinished(() => client.close());
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
});

test('the line names the profile where it is not the default', () => {
  const advice = connectionAdvice({ profile: 'work' }, directory);
  expect(advice).toContain('`budget-mcp install <host> --profile work`');
  expect(blockIn(advice).args.slice(1)).toEqual(['serve', '--profile', 'work']);
});

test('for a host that is named, the lines are in the format of its file, and its file is named', () => {
  const codex = hosts.find(({ id }) => id === 'codex');
  const advice = connectionAdvice({ profile: 'default' }, directory, codex);
  expect(advice).toContain('`budget-mcp install codex`');
  expect(advice).toMatch(/config\.toml:\n\n\[mcp_servers\.budget\]\ncommand = /);
});
