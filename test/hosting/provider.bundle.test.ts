/** The provider as a part of the built program. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, it, onTestFinished } from 'vitest';
import { namesOfClasses, withPackages } from '../../.ci/bundle-program.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

// Other packages in the bundle have classes of the same names.
const program = `
import '@modelcontextprotocol/client';
import { createProvider } from './src/hosting/provider.ts';
const issuer = 'https://budget.example';
const records = { adapterOf: () => ({}) };
createProvider({ issuer, resource: issuer + '/mcp', records, dynamicRegistration: true, onBug: console.error });
console.log('created');
`;

it('the classes of oidc-provider, whose names are in the store, keep them in a bundle', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'bundle-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const run = async (plugins: (typeof namesOfClasses)[]) => {
    const outfile = join(directory, 'program.mjs');
    await build({ ...withPackages, plugins, outfile, stdin: { contents: program, resolveDir: root } });
    return execFileSync(process.execPath, [outfile], { encoding: 'utf8', stdio: 'pipe' });
  };
  expect(await run([namesOfClasses])).toBe('created\n');
  await expect(run([])).rejects.toThrow('has lost its name');
});
