/**
 * npm runs this after an installation in a clone, when it installs the package from git, and before it packs it. It
 * builds the program into an empty dist/. Where the development packages are left out (`--omit=dev`) it cannot build,
 * and an existing dist/ stays. It is plain JavaScript, because TypeScript needs one of those packages.
 */
import { execSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));

if (existsSync(`${root}node_modules/tsx`)) {
  rmSync(`${root}dist`, { recursive: true, force: true });
  // `npm pack --json` writes to standard output.
  execSync('npm run --silent build', { cwd: root, stdio: ['ignore', 2, 2] });
}
