import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { program } from '../hosts.ts';

test('a message that is longer than anybody reads ends the process', async () => {
  const server = spawn(process.execPath, [program, '--demo'], { stdio: ['pipe', 'ignore', 'ignore'] });
  // What has not been read by then is lost.
  server.stdin.on('error', () => {});
  const params = { name: 'x'.repeat(2 ** 24) };
  server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`);
  expect(await once(server, 'exit')).toEqual([0, null]);
});
