/** `docs/systemd/budget-mcp.service`, installed with the commands of docs/hosting.md below a directory in the place of `/`. */
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { readDocument } from '../documents.ts';
import { startHttpProgram } from '../http-program.helper.ts';
import { linkedProgram } from '../linked-program.helper.ts';
import { sqlite } from '../state/sqlite.helper.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));

const noSystemd = !!spawnSync('systemd-analyze', ['--version']).error && process.env['REQUIRE_ALL'] !== '1';
if (noSystemd) process.stderr.write('SKIPPED: `systemd-analyze verify`, because there is no systemd.\n');

const section = /^## One machine for a family\n(.*?)^## /ms.exec(readDocument('docs/hosting.md'))?.[1] ?? '';
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
async function install() {
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
async function commandOf(root: string): Promise<string[]> {
  const unit = await readFile(join(root, 'etc/systemd/system/budget-mcp.service'), 'utf8');
  const env = await readFile(join(root, settingOf(unit, 'EnvironmentFile')), 'utf8');
  const variables = new Map([...env.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]));
  return settingOf(unit, 'ExecStart')
    .split(/\s+/)
    .map((word) => word.replace(/\$\{(\w+)\}/g, (_, name: string) => variables.get(name) ?? ''));
}

describe('budget-mcp.service', () => {
  test('its files are where the unit reads them, and only its user can read those with secrets', async () => {
    const { root, noted } = await install();
    expect(noted).toContain('useradd --system --shell /usr/sbin/nologin budget-mcp');
    expect(noted).toContain('systemctl enable --now budget-mcp');
    const [program, ...args] = await commandOf(root);
    expect(program).toBe('/usr/local/bin/budget-mcp');
    expect(noted.join('\n')).toContain('npm install --global --prefix /usr/local ');
    const secrets = args.flatMap((arg) => /=(\/etc\/.*)$/.exec(arg)?.[1] ?? []);
    expect(secrets).toHaveLength(2);
    for (const path of secrets) {
      expect((statSync(join(root, path)).mode & 0o777).toString(8)).toBe('400');
      expect(readFileSync(join(root, path), 'utf8')).not.toBe('');
      expect(noted.some((line) => line.startsWith('owner ') && line.endsWith(`${root}${path}`))).toBe(true);
      expect(section).toContain(path.split('/').at(-1));
    }
    const env = join(root, 'etc/budget-mcp/env');
    expect((statSync(env).mode & 0o777).toString(8)).toBe('644');
  });

  test.skipIf(noSystemd)('systemd finds no mistake in it', async () => {
    const directory = await temporaryDirectory();
    const path = join(directory, 'budget-mcp.service');
    const unit = await readFile(join(repository, 'docs/systemd/budget-mcp.service'), 'utf8');
    await writeFile(path, unit.replace('/usr/local/bin', await linkedProgram()));
    const verify = () => spawnSync('systemd-analyze', ['verify', path]);
    expect(verify()).toMatchObject({ status: 0, stderr: Buffer.from('') });
    await writeFile(path, unit.replace('ProtectHome=', 'ProtectHomes='));
    expect(verify().stderr.toString()).toContain('ProtectHomes');
  });

  test.skipIf(!sqlite)(
    'its command starts a server that is ready, with its state where the unit allows it',
    async () => {
      const { root } = await install();
      const [, , ...args] = (await commandOf(root)).map((word) =>
        word.replace(/=(\/etc\/|\/var\/)/, `=${root}$1`),
      );
      const program = await startHttpProgram(args, { BUDGET_MCP_NO_STATE: 'false' });
      onTestFinished(async () => {
        await program.stop();
      });
      const answer = await fetch(new URL('/readyz', program.url));
      expect([answer.status, await answer.json()]).toEqual([200, { status: 'ready' }]);
      const card = await fetch(new URL('/mcp/server-card', program.url));
      expect(await card.text()).toContain('https://budget.example.com/mcp');
      expect((await fetch(program.url, { method: 'POST' })).status).toBe(401);
      expect((statSync(join(root, 'var/lib/budget-mcp')).mode & 0o777).toString(8)).toBe('700');
      expect(program.written()).not.toContain('"level":40');
    },
  );

  test.skipIf(!sqlite)('without people in its variables the server does not start', async () => {
    const { root } = await install();
    const env = join(root, 'etc/budget-mcp/env');
    await writeFile(env, (await readFile(env, 'utf8')).replace(/^ALLOW_PEOPLE=.*$/m, ''));
    const [, , ...args] = await commandOf(root);
    await expect(startHttpProgram(args)).rejects.toThrow('--allow-people');
  });
});
