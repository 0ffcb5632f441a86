/** `docs/systemd/budget-mcp.service`: what the documented commands install, what systemd says, and the command that it starts. */
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { startHttpProgram } from '../http-program.helper.ts';
import { linkedProgram } from '../linked-program.helper.ts';
import { sqlite } from '../store/sqlite.helper.ts';
import { commandOf, install, section } from './service-file.helper.ts';

const unitFile = new URL('../../docs/systemd/budget-mcp.service', import.meta.url);
const noSystemd = !!spawnSync('systemd-analyze', ['--version']).error && process.env['REQUIRE_ALL'] !== '1';
if (noSystemd) process.stderr.write('SKIPPED: `systemd-analyze verify`, because there is no systemd.\n');

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
    const unit = await readFile(unitFile, 'utf8');
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
