/** The npm registry, where it can be reached. Elsewhere its tests are skipped, loudly; with REQUIRE_ALL=1 they fail. */
import { spawnSync } from 'node:child_process';
import packageJson from '../package.json' with { type: 'json' };

const wanted = `@napi-rs/keyring@${packageJson.dependencies['@napi-rs/keyring']}`;

const { status } = spawnSync('npm', ['view', wanted, 'version', '--fetch-retries=0'], { timeout: 20_000 });

/** For `describe.skipIf` and `test.skipIf`. */
export const noRegistry = status !== 0 && process.env['REQUIRE_ALL'] !== '1';

if (noRegistry)
  process.stderr.write('SKIPPED: tests with packages of the npm registry, which does not answer.\n');
