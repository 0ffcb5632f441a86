/** A real Caddy for tests, if it is installed. Otherwise they are skipped with a message, or fail with REQUIRE_ALL=1. */
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryDirectory } from './auth/temporary-directory.helper.ts';
import { runCaddy } from './caddy-program.helper.ts';
import { unusedPort } from './local-server.helper.ts';

const isInstalled = spawnSync('caddy', ['version']).status === 0;
const isRequired = process.env['REQUIRE_ALL'] === '1';

/** For `describe.skipIf` and `test.skipIf`. */
export const noCaddy = !isInstalled && !isRequired;

if (noCaddy) process.stderr.write('SKIPPED: tests behind a proxy, because caddy is not installed.\n');

/** Runs Caddy with the configuration `sites` on a port of 127.0.0.1, with its own certificates, until the test has finished. */
export async function startCaddy(sites: string) {
  const port = await unusedPort();
  const directory = await temporaryDirectory();
  const caddy = await runCaddy(
    `{
	debug
	admin off
	http_port ${await unusedPort()}
	https_port ${port}
	default_bind 127.0.0.1
	local_certs
	skip_install_trust
	storage file_system ${directory}
}
${sites}`,
    directory,
    // Only from then on it answers with the certificate. It says so with `debug`.
    'added certificate to cache',
  );
  onTestFinished(() => caddy.stop());
  return { port, ca: await readFile(join(directory, 'pki/authorities/local/root.crt'), 'utf8') };
}
