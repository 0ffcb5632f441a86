import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { server } from '../../.ci/server-json.ts';
import { checkSignature } from '../../.ci/sign-bundle.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { selfSignedFiles } from '../certificate.helper.ts';
import { mcpb } from './bundle.ts';
import { copyCheckout } from './fresh-machine.helper.ts';

const { version } = packageJson;
const repository = 'https://github.com/example/budget-mcp';

/** A checkout with a changelog whose changes belong to this version. */
async function checkout() {
  const directory = await temporaryDirectory();
  await copyCheckout(directory);
  symlinkSync(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(directory, 'node_modules'));
  writeFileSync(join(directory, 'CHANGELOG.md'), `# Changelog\n\n## ${version}\n\n- Everything.\n`);
  const run = (env: Readonly<Record<string, string>>, ...args: string[]) =>
    promisify(execFile)('npm', ['run', '--silent', ...args], {
      cwd: directory,
      env: { ...process.env, ...env },
    });
  return { directory, run };
}

describe('a release', () => {
  test('a release writes the package, the signed bundle, checksums, registry entry and notes, with the addresses of the owner', async () => {
    const { directory, run } = await checkout();
    const { certificate, key } = await selfSignedFiles();
    await run({}, 'owner', '--', repository, 'An Example');
    await run({}, 'generate');
    await run({ MCPB_CERTIFICATE: certificate, MCPB_KEY: key }, 'release', '--', `v${version}`);

    const path = (name: string) => join(directory, 'release', name);
    const read = (name: string) => readFileSync(path(name));
    const archive = `budget-mcp-${version}.tgz`;
    expect(readdirSync(path('.')).toSorted()).toEqual([
      'NOTES.md',
      'SHA256SUMS',
      archive,
      'budget-mcp.mcpb',
      'server.json',
    ]);
    const checksum = (name: string) => createHash('sha256').update(read(name)).digest('hex');
    expect(read('SHA256SUMS').toString()).toBe(
      [archive, 'budget-mcp.mcpb', 'server.json'].map((name) => `${checksum(name)}  ${name}\n`).join(''),
    );
    expect(read('NOTES.md').toString()).toBe('- Everything.\n');

    const entry = server.parse(JSON.parse(read('server.json').toString()));
    expect(entry).toMatchObject({ name: 'io.github.example/budget-mcp', version });
    expect(entry.packages).toContainEqual(
      expect.objectContaining({ registryType: 'mcpb', fileSha256: checksum('budget-mcp.mcpb') }),
    );
    const packed = execFileSync('tar', ['-xzOf', path(archive), 'package/package.json'], {
      encoding: 'utf8',
    });
    expect(JSON.parse(packed)).toMatchObject({ mcpName: entry.name, homepage: `${repository}#readme` });

    checkSignature(path('budget-mcp.mcpb'));
    mcpb('unpack', path('budget-mcp.mcpb'), path('unpacked'));
    expect(JSON.parse(read('unpacked/manifest.json').toString())).toMatchObject({
      author: { name: 'An Example' },
      repository: { type: 'git', url: repository },
      homepage: `${repository}#readme`,
      support: `${repository}/issues`,
      privacy_policies: [`${repository}/blob/v${version}/docs/privacy.md`],
    });
  });

  test('a release stops before it writes anything where its tag, the owner or the manifest is not right', async () => {
    const { directory, run } = await checkout();
    const release = (tag: string) => run({}, 'release', '--', tag);
    await expect(release('v99.0.0')).rejects.toThrow('The tag v99.0.0 is not the version in package.json');
    if (!('repository' in packageJson))
      await expect(release(`v${version}`)).rejects.toThrow('needs from the owner of the project: author');
    await run({}, 'owner', '--', repository, 'Another Example');
    await expect(release(`v${version}`)).rejects.toThrow('manifest.json is not up to date: npm run generate');
    expect(readdirSync(directory)).not.toContain('release');
  });
});
