/** Clients of others that sign in by OAuth themselves, with a person in a browser, and the official checks for servers. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { Browser } from '../hosting/browser.helper.ts';
import { decide } from '../hosting/hosting.helper.ts';
import { startHttpProgram } from '../http-program.helper.ts';
import { unusedUrl } from '../local-server.helper.ts';
import { node22 } from '../node-22.helper.ts';
import { noRegistry } from '../registry.helper.ts';

const mcpRemote = [...node22, '--package=mcp-remote@0.15.1', 'mcp-remote'];
const conformance = [...node22, '--package=@modelcontextprotocol/conformance@0.2.0-alpha.12', 'conformance'];

async function start() {
  // The address of the server is the name of the authorization server, so it has to be known before.
  const { port } = new URL(await unusedUrl());
  const program = await startHttpProgram(['--hosted', '--demo', '--port', port], {
    BUDGET_MCP_STRUCTURED: 'false',
  });
  onTestFinished(async () => {
    await program.stop();
  });
  const [, appUrl = ''] = /People sign in at (\S+)\./.exec(program.written()) ?? [];
  const [, email = '', password = ''] =
    /sign in as (\S+) with the password (\S+)\.\n/.exec(program.written()) ?? [];
  const { origin: issuer } = new URL(program.url);
  const browser = new Browser([issuer, appUrl]);
  /** The person allows what an address asks for, and the browser goes back to the client. */
  const allow = async (address: string) => {
    const person = { email, password };
    const way = { service: { signIn: person }, browser: () => browser };
    const { url, status, text } = await decide(way, address, { person });
    if (status !== 0) throw new Error(`${status} ${url.href} ${text}`);
    expect((await fetch(url)).status).toBe(200);
  };
  return { program, issuer, allow, browser };
}

/** The address of an authorization request that a client writes for its person. */
function addressIn(output: Readable): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    output.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const found = /https?:\S+\/oauth\/authorize\?\S+(?=\s)/.exec(text)?.[0];
      if (found !== undefined) resolve(found);
    });
    output.on('end', () => reject(new Error(text)));
  });
}

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'budget-mcp-clients-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

describe.skipIf(noRegistry)('a client of others', () => {
  test('mcp-remote registers itself, signs in, reads and writes, and finds its tokens at the next start', async () => {
    const { program, allow, browser } = await start();
    const directory = temporaryDirectory();
    const connect = async (signIn: (output: Readable) => Promise<void>) => {
      const transport = new StdioClientTransport({
        command: 'npx',
        args: [...mcpRemote, program.url],
        env: {
          PATH: process.env['PATH'] ?? '',
          HOME: process.env['HOME'] ?? '',
          MCP_REMOTE_CONFIG_DIR: directory,
        },
        stderr: 'pipe',
      });
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
      const { stderr } = transport;
      if (!(stderr instanceof Readable)) throw new Error('It has no output.');
      await Promise.all([client.connect(transport), signIn(stderr)]);
      onTestFinished(() => client.close());
      return client;
    };
    const first = await connect(async (output) => allow(await addressIn(output)));
    expect(JSON.stringify(await first.callTool({ name: 'list_accounts' }))).toContain('Checking');
    const transaction = { account_id: 'Checking', date: 'today', amount: -1, payee_name: 'Bakery' };
    const written = await first.callTool({
      name: 'create_transactions',
      arguments: { transactions: [transaction] },
    });
    expect(JSON.stringify(written)).toContain('Written.');
    await first.close();

    const visited = browser.visited.length;
    const second = await connect(async () => {});
    expect(JSON.stringify(await second.callTool({ name: 'list_accounts' }))).toContain('Checking');
    expect(browser.visited.length).toBe(visited);
  });

  test('the official checks for authorization servers pass', async () => {
    const { program, issuer, allow } = await start();
    const { port } = new URL(await unusedUrl());
    const registered = await fetch(`${issuer}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: [`http://127.0.0.1:${port}/callback`] }),
    });
    const { client_id: id } = z.object({ client_id: z.string() }).parse(await registered.json());
    const args = [
      'authorization',
      '--url',
      issuer,
      '--client-id',
      id,
      '--port',
      port,
      '--resource',
      program.url,
    ];
    const child = spawn('npx', [...conformance, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = once(child, 'exit');
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    await allow(await addressIn(child.stdout));
    await ended;
    expect(text).not.toContain('FAILURE');
    expect(child.exitCode).toBe(0);
  });
});
