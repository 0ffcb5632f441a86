/** Installs `docs/systemd/budget-mcp.service` with the commands of docs/hosting.md, below a directory in the place of `/`. */
import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { readDocument } from '../documents.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));

export const section =
  /^## One machine for a family\n(.*?)^## /ms.exec(readDocument('docs/hosting.md'))?.[1] ?? '';
const [, commands = ''] = /```sh\n(npm ci.*?)```/s.exec(section) ?? [];

/** What would change this machine is only noted. `install` creates files, and the owner that it is given is noted, too. */
const stubs = `
npm() { echo "npm $*"; }
useradd() { echo "useradd $*"; }
systemctl() { echo "systemctl $*"; }
install() {
  case "$*" in *" -o budget-mcp "*) echo "owner $*";; esac
  command install $(echo "$*" | sed 's/ -o budget-mcp//')
}
`;

/** Runs the commands. Returns the directory in the place of `/`, and what was noted. */
export async function install() {
  const root = await temporaryDirectory();
  await mkdir(join(root, 'etc/systemd/system'), { recursive: true });
  const script = stubs + commands.replaceAll('/etc/', `${root}/etc/`);
  const { stdout } = await promisify(execFile)('sh', ['-euc', script], {
    cwd: repository,
    env: { PATH: process.env['PATH'] ?? '', APPLICATION_SECRET: 'secret-of-the-application' },
  });
  return { root, noted: stdout.split('\n') };
}

/** With its further lines. */
function settingOf(unit: string, key: string): string {
  const [, value = ''] = new RegExp(`^${key}=((?:.*\\\\\n)*.*)`, 'm').exec(unit) ?? [];
  return value.replaceAll('\\\n', ' ');
}

/** The words of `ExecStart` as systemd passes them on, with the variables of the file that it reads first. */
export async function commandOf(root: string): Promise<string[]> {
  const unit = await readFile(join(root, 'etc/systemd/system/budget-mcp.service'), 'utf8');
  const env = await readFile(join(root, settingOf(unit, 'EnvironmentFile')), 'utf8');
  const variables = new Map([...env.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]));
  return settingOf(unit, 'ExecStart')
    .split(/\s+/)
    .map((word) => word.replace(/\$\{(\w+)\}/g, (_, name: string) => variables.get(name) ?? ''));
}
