/** A machine on which npm has not installed anything yet: an empty home, an empty cache, and a repository to install from. */
import { execFile } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { z } from 'zod';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const execute = promisify(execFile);
const textSchema = z.array(z.object({ type: z.literal('text'), text: z.string() }));

/** npm 12 installs from git only with this option. Older versions ignore it. */
export const ALLOW_GIT = '--allow-git=root';

/** Copies the files of this checkout that git knows or would add. */
export async function copyCheckout(directory: string): Promise<void> {
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const { stdout } = await execute('git', list, { cwd: root, maxBuffer: 2 ** 24 });
  for (const name of stdout.split('\0').filter((each) => each !== '')) {
    await mkdir(dirname(join(directory, name)), { recursive: true });
    await cp(join(root, name), join(directory, name));
  }
}

export async function freshMachine() {
  const directory = await temporaryDirectory();
  const [home, cwd] = [join(directory, 'home'), join(directory, 'work')];
  await Promise.all([home, cwd].map((path) => mkdir(path)));
  const env = { ...process.env, HOME: home, USERPROFILE: home, npm_config_cache: join(home, '.npm') };
  return {
    cwd,
    /** Returns standard output. */
    run: async (command: string, ...args: string[]) => (await execute(command, args, { cwd, env })).stdout,
    /** Starts a server with this command, and returns the answer of one of its tools. */
    async call(tool: string, command: string, ...args: string[]) {
      const client = new Client({ name: 'fresh-host', version: '1' });
      const strings = Object.entries(env).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value]],
      );
      const transport = new StdioClientTransport({
        command,
        args,
        cwd,
        env: Object.fromEntries(strings),
        stderr: 'ignore',
      });
      // npm downloads and builds before the server answers.
      await client.connect(transport, { timeout: 600_000 });
      try {
        const { content } = await client.callTool({ name: tool, arguments: {} });
        return textSchema.parse(content).map(({ text }) => text);
      } finally {
        await client.close();
      }
    },
    /** Returns the address of a bare repository with the files of this checkout, for npm. */
    async repository() {
      const [files, bare] = [join(directory, 'files'), join(directory, 'budget-mcp.git')];
      const git = (...args: string[]) => execute('git', args, { cwd: files });
      await copyCheckout(files);
      await git('init', '--quiet');
      await git('add', '--all');
      const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
      await git(...author, 'commit', '--quiet', '--message=All files');
      await git('clone', '--quiet', '--bare', files, bare);
      return `git+file://${bare}`;
    },
  };
}
