import { runProgram } from './command-line.mjs';
import { textOf } from './text-of.mjs';

export async function connect({ command, args, url }) {
  const server =
    url === undefined ? ['--stdio', [command, ...args].join(' ')] : ['--http-url', url, '--allow-http'];
  const run = (...options) => runProgram('.bin/mcporter', [...options, ...server, '--name', 'budget']);
  const { tools } = await run('list', '--json');
  return {
    tools: tools.map(({ name, inputSchema }) => ({ name, parameters: inputSchema })),
    call: async (name, sent) =>
      textOf(await run('call', '--tool', name, '--args', JSON.stringify(sent), '--output', 'json')),
    close: () => {},
  };
}
