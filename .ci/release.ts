/**
 * `npm run release -- <tag>`: everything of a release that needs no forge. Checks that the tag, the version and the
 * changelog agree and that the addresses of the owner are known, and writes what is published into release/: the npm
 * package, the bundle, their checksums, the entry in the MCP registry, and the notes.
 * With MCPB_CERTIFICATE and MCPB_KEY, which name files, the bundle is signed; MCPB_INTERMEDIATES may name a third one.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import packageJson from '../package.json' with { type: 'json' };
import { makeBundle } from '../test/bundle/bundle.ts';
import { manifest, readManifest } from '../test/bundle/manifest.ts';
import { changelogEntry, checkTag } from './changelog.ts';
import { parseOwner } from './owner.ts';
import { serverJson } from './server-json.ts';
import { signBundle } from './sign-bundle.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const directory = join(root, 'release');
const { name, version, description } = packageJson;

const [, , tag = ''] = process.argv;
checkTag(tag, version);
const notes = changelogEntry(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version);
const owner = parseOwner(packageJson);
if (readManifest() !== (await manifest()))
  throw new Error('manifest.json is not up to date: npm run generate');

rmSync(directory, { recursive: true, force: true });
mkdirSync(directory);
execFileSync('npm', ['pack', `--pack-destination=${directory}`], { cwd: root, stdio: ['ignore', 2, 2] });
const bundle = `${name}.mcpb`;
makeBundle(join(directory, bundle));
const { MCPB_CERTIFICATE: certificate, MCPB_KEY: key, MCPB_INTERMEDIATES: intermediates } = process.env;
if (certificate && key)
  signBundle(join(directory, bundle), { certificate, key, ...(intermediates && { intermediates }) });

const checksum = (file: string) =>
  createHash('sha256')
    .update(readFileSync(join(directory, file)))
    .digest('hex');
const write = (file: string, text: string) => writeFileSync(join(directory, file), text);
const entry = serverJson(owner, { name, version, description, bundleSha256: checksum(bundle) });
write('server.json', `${JSON.stringify(entry, null, 2)}\n`);
const published = [`${name}-${version}.tgz`, bundle, 'server.json'];
write('SHA256SUMS', published.map((file) => `${checksum(file)}  ${file}\n`).join(''));
write('NOTES.md', `${notes}\n`);
process.stdout.write(`Wrote release/. The bundle is ${certificate && key ? '' : 'not '}signed.\n`);
