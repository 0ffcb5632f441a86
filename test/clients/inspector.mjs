import { runProgram } from './command-line.mjs';
import { textOf } from './text-of.mjs';

export async function connect({ command, args, url }) {
  const server = url === undefined ? ['--', command, ...args] : ['--transport', 'http', '--server-url', url];
  const run = (...options) => runProgram('.bin/mcp-inspector', ['--cli', ...options, ...server]);
  const { tools } = await run('--method', 'tools/list');
  return {
    tools: tools.map(({ name, inputSchema }) => ({ name, parameters: inputSchema })),
    async call(name, sent) {
      const fields = Object.entries(sent).flatMap(([field, value]) => [
        '--tool-arg',
        `${field}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
      ]);
      return textOf(await run('--method', 'tools/call', '--tool-name', name, ...fields));
    },
    close: () => {},
  };
}
