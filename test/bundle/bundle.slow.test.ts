import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../src/base/clock.ts';
import { startService } from '../../src/service/server.ts';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { makeBundle, mcpb } from './bundle.ts';

const schema = z.object({
  icon: z.string(),
  server: z.object({
    entry_point: z.string(),
    mcp_config: z.object({
      command: z.string(),
      args: z.array(z.string()),
      env: z.record(z.string(), z.string()),
    }),
  }),
  tools: z.array(z.looseObject({ name: z.string() })),
});

/** A keychain library that a program in a folder below finds. It notes that it was loaded, before it fails. */
function keychainLibrary(directory: string): { readonly wasLoaded: () => boolean } {
  const [library, mark] = [join(directory, 'node_modules/@napi-rs/keyring'), join(directory, 'loaded')];
  mkdirSync(library, { recursive: true });
  writeFileSync(join(library, 'package.json'), '{"name":"@napi-rs/keyring","main":"index.js"}');
  writeFileSync(
    join(library, 'index.js'),
    `require('node:fs').writeFileSync(${JSON.stringify(mark)}, ''); throw new Error('a native module');`,
  );
  return { wasLoaded: () => existsSync(mark) };
}

describe('the bundle', () => {
  test('the bundle can be unpacked, started by its own command with the values of the form, and called, without a native module', async () => {
    const directory = await temporaryDirectory();
    const [file, unpacked] = [join(directory, 'budget-mcp.mcpb'), join(directory, 'unpacked')];
    makeBundle(file);
    mcpb('unpack', file, unpacked);
    const files = readdirSync(unpacked, { recursive: true, encoding: 'utf8' });
    const made = schema.parse(JSON.parse(readFileSync(join(unpacked, 'manifest.json'), 'utf8')));
    expect(files).toEqual(
      expect.arrayContaining([made.icon, made.server.entry_point, 'LICENSE', 'dist/THIRD-PARTY-NOTICES']),
    );
    expect(files.filter((name) => /\.node$|node_modules|\.ts$|\.map$/.test(name))).toEqual([]);

    // Claude Desktop on macOS refuses native modules that Anthropic has not signed.
    const keychain = keychainLibrary(directory);

    const service = await startService({ clock: systemClock });
    onTestFinished(() => service.close());
    const filledIn: Record<string, string> = {
      token: service.accessToken,
      base_url: service.baseUrl,
      budget: service.user.ledgers[1]?.summary().name ?? '',
      read_only: 'true',
      demo: 'false',
    };
    // As hosts do it: placeholders of empty fields stay.
    const fill = (text: string) =>
      text
        .replaceAll(`$\{__dirname}`, unpacked)
        .replace(/\$\{user_config\.(\w+)\}/g, (placeholder, name: string) => filledIn[name] ?? placeholder);
    const { command, args, env } = made.server.mcp_config;
    const transport = new StdioClientTransport({
      command: fill(command),
      args: args.map(fill),
      env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)])),
      cwd: directory,
    });
    const client = new Client({ name: 'one-click-host', version: '1' });
    onTestFinished(() => client.close());
    await client.connect(transport);

    const { content, isError } = await client.callTool({ name: 'list_accounts', arguments: {} });
    expect(isError).toBeFalsy();
    expect(JSON.stringify(content)).toContain(`Budget \\"${filledIn['budget']}\\"`);
    const tools = (await client.listTools()).tools.map(({ name }) => name);
    expect(tools).not.toContain('create_transactions');
    expect(made.tools.map(({ name }) => name)).toEqual(expect.arrayContaining(tools));

    const status = await client.callTool({ name: 'get_status', arguments: {} });
    expect(status.isError).toBeFalsy();
    expect(keychain.wasLoaded()).toBe(false);
  });
});
