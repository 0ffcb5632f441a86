/**
 * The licenses of all packages whose code is in a bundle: each wants its copyright line and its text to go with the
 * code. Where one is missing or unknown this throws, so the build fails and nothing is published without.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Metafile } from 'esbuild';
import { z } from 'zod';
import { type LicenseByHand, licenseText } from './licenses-by-hand.ts';

/** SPDX names of the licenses that only ask to be passed on. Any other one needs a decision. */
const allowed: readonly (string | undefined)[] = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Unlicense',
];

const packageJson = z.object({ name: z.string(), version: z.string(), license: z.string().optional() });

interface Notice {
  /** Of the package. */
  readonly name: string;
  readonly title: string;
  readonly text: string;
}

/** The content of THIRD-PARTY-NOTICES. The paths in `metafile` are relative to `root`. */
export function thirdPartyNotices(
  metafile: Metafile,
  root: string,
  licensesByHand: readonly LicenseByHand[],
): string {
  const notices = [...bundledPackages(metafile)].flatMap(([folder, files]) =>
    noticesOf({ root, folder, files }, licensesByHand),
  );
  const unused = licensesByHand.filter(({ name }) => !notices.some((notice) => notice.name === name));
  if (unused.length > 0) {
    const names = unused.map(({ name }) => name).join(', ');
    throw new Error(`licenses-by-hand.ts names what is not in the bundle: ${names}.`);
  }
  return format(notices);
}

/** By folder, the files of each package of which something is in the output. */
export function bundledPackages(metafile: Metafile): Map<string, Set<string>> {
  const packages = new Map<string, Set<string>>();
  for (const file of Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs))) {
    // The innermost node_modules: a package may have one of its own.
    const folder = /^.*\bnode_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0];
    if (folder) packages.set(folder, (packages.get(folder) ?? new Set()).add(file));
  }
  return packages;
}

interface BundledPackage {
  readonly root: string;
  readonly folder: string;
  readonly files: ReadonlySet<string>;
}

/** For the package itself, and for every other one that it has copied code from. */
function noticesOf({ root, folder, files }: BundledPackage, byHand: readonly LicenseByHand[]): Notice[] {
  const json: unknown = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const { name, version, license } = packageJson.parse(json);
  if (!allowed.includes(license)) {
    throw new Error(`The license of ${name} ${version} is not one of those allowed: ${license}.`);
  }
  const find = (wanted: string) => {
    const found = byHand.find((each) => each.name === wanted);
    if (found) return found;
    throw new Error(
      `${name} ${version} has no license text for its code of ${wanted}: see licenses-by-hand.ts.`,
    );
  };
  const copied = new Set([...files].flatMap((file) => copiedPackages(join(root, file))));
  copied.delete(name);
  return [
    {
      name,
      title: `${name} ${version} (${license})`,
      text: licenseFiles(join(root, folder)) || licenseText(find(name)),
    },
    ...[...copied].map(find).map((other) => ({
      name: other.name,
      title: `${other.name}, copied into ${name} ${version} (${other.license})`,
      text: licenseText(other),
    })),
  ];
}

/** The license, and beside it the notice that Apache-2.0 wants to be passed on. Empty where there is no license. */
function licenseFiles(folder: string): string {
  const names = readdirSync(folder).toSorted();
  const read = (pattern: RegExp) =>
    names
      .filter((name) => pattern.test(name))
      .map((name) => readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n').trim())
      .filter((text) => text !== '');
  const licenses = read(/^(licen[cs]e|copying)/i);
  return licenses.length > 0 ? [...licenses, ...read(/^notice/i)].join('\n\n') : '';
}

/** The names of the packages whose code is in a file of another one: their own folders are not in the bundle. */
function copiedPackages(file: string): string[] {
  const source = readFileSync(file, 'utf8');
  // The bundler of the MCP SDK writes above each part of a file where it is from.
  const regions = source.matchAll(/^\/\/#region \S*\bnode_modules\/((?:@[^/\s]+\/)?[^/\s]+)/gm);
  // A comment about a license begins with `/*!`, and then names the package. One without a name is about its own package.
  const comments = source.matchAll(/\/\*!\s*(?:\*\s*)?(?!Copyright\b)([^\s.*]+)/g);
  const names = [...regions, ...comments].flatMap(([, name]) => name ?? []);
  // In undici, as WebAssembly without comments.
  return dirname(file).endsWith('llhttp') ? [...names, 'llhttp'] : names;
}

/** Packages with the same text share it. */
function format(notices: readonly Notice[]): string {
  const titles = new Map<string, string[]>();
  for (const { title, text } of notices.toSorted((a, b) => (a.title < b.title ? -1 : 1))) {
    titles.set(text, [...(titles.get(text) ?? []), title]);
  }
  const intro =
    'budget-mcp contains code of the following packages, each under the license that follows its name.';
  const parts = [...titles].map(([text, of]) => `${of.join('\n')}\n\n${text}`);
  return `${[intro, ...parts].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}
