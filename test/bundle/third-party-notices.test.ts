import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { bundleProgram } from '../../.ci/bundle-program.ts';
import { type LicenseByHand, licensesByHand, licenseText } from '../../.ci/licenses-by-hand.ts';
import { thirdPartyNotices } from '../../.ci/third-party-notices.ts';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The texts by package, such as `zod 4.6.7 (MIT)`. */
function parse(notices: string): Map<string, string> {
  const [, ...parts] = notices.split(`\n\n${'-'.repeat(80)}\n\n`);
  return new Map(
    parts.flatMap((part) => {
      const [titles = '', ...text] = part.split('\n\n');
      return titles.split('\n').map((title) => [title, text.join('\n\n').trim()] as const);
    }),
  );
}

describe('the third-party notices of the program', () => {
  async function built() {
    const outdir = await temporaryDirectory();
    const metafile = await bundleProgram(outdir);
    return { metafile, notices: parse(readFileSync(join(outdir, 'THIRD-PARTY-NOTICES'), 'utf8')) };
  }

  test('the notices hold the license file of every package that has a file in the output', async () => {
    const { metafile, notices } = await built();
    const inputs = Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs));
    const packages = new Set(
      inputs.flatMap((file) => file.match(/^.*node_modules\/(@[^/]+\/)?[^/]+/)?.[0] ?? []),
    );
    expect(packages.size).toBeGreaterThan(40);
    const schema = z.object({ name: z.string(), version: z.string(), license: z.string() });
    for (const folder of packages) {
      const json: unknown = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
      const { name, version, license } = schema.parse(json);
      const notice = notices.get(`${name} ${version} (${license})`);
      const file = readdirSync(join(root, folder)).find((each) => /^license(\.(md|txt))?$/i.test(each));
      const byHand = licensesByHand.find((each) => each.name === name);
      const text =
        file === undefined
          ? byHand && licenseText(byHand)
          : readFileSync(join(root, folder, file), 'utf8')
              .replaceAll('\r\n', '\n')
              .trim();
      expect(text).toBeTruthy();
      expect(notice).toBe(text);
    }
  });

  test('the notices hold a text for each package whose code is in the files of another package', async () => {
    const { notices } = await built();
    const copied = [...notices.keys()].flatMap(
      (title) => /^(.*), copied into (.*) \d/.exec(title)?.slice(1, 3) ?? [],
    );
    expect(copied).toEqual(
      expect.arrayContaining(['ajv', '@modelcontextprotocol/client', 'llhttp', 'undici']),
    );
    expect(
      [...notices.values()].filter((text) => !/permission|permitted|copying|public domain/i.test(text)),
    ).toEqual([]);
  });
});

describe('the third-party notices of a bundle', () => {
  const license = 'Copyright (c) 2020 A Guest\n\nDo as you like.';
  const valid = { 'package.json': '{"name":"guest","version":"1.2.3","license":"MIT"}', LICENSE: license };

  /** The notices of a program that uses a package with these files. */
  async function noticesWith(
    files: Readonly<Record<string, string>>,
    {
      byHand = [],
      program = "import { guest } from 'guest'; console.log(guest);",
    }: { byHand?: LicenseByHand[]; program?: string } = {},
  ) {
    const directory = await temporaryDirectory();
    const all = { 'index.js': 'export const guest = 1;', ...files };
    for (const [name, text] of Object.entries(all)) {
      const file = join(directory, 'node_modules/guest', name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    writeFileSync(join(directory, 'program.js'), program);
    const { metafile } = await build({
      absWorkingDir: directory,
      entryPoints: ['program.js'],
      bundle: true,
      format: 'esm',
      metafile: true,
      write: false,
    });
    return parse(thirdPartyNotices(metafile, directory, byHand));
  }

  const byHand = (name: string): LicenseByHand => ({
    name,
    license: 'MIT',
    copyright: ['Copyright (c) 2021 Another'],
    reason: 'It has none.',
  });

  test('the notices name a package with its version, its license and its license text', async () => {
    expect(await noticesWith(valid)).toEqual(new Map([['guest 1.2.3 (MIT)', license]]));
  });

  test('the notices contain the NOTICE file of a package', async () => {
    const notices = await noticesWith({ ...valid, NOTICE: 'Made by guests.' });
    expect(notices.get('guest 1.2.3 (MIT)')).toBe(`${license}\n\nMade by guests.`);
  });

  test('the notices name a package in the node_modules of another package', async () => {
    const notices = await noticesWith({
      ...valid,
      'index.js': "export { inner as guest } from 'inner';",
      'node_modules/inner/index.js': 'export const inner = 2;',
      'node_modules/inner/package.json': '{"name":"inner","version":"2.0.0","license":"ISC"}',
      'node_modules/inner/LICENCE.txt': 'The inner license.',
    });
    expect(notices.get('inner 2.0.0 (ISC)')).toBe('The inner license.');
  });

  test('the notices do not name a package without code in the output', async () => {
    const unused = {
      ...valid,
      'package.json': '{"name":"guest","version":"1.2.3","license":"none","sideEffects":false}',
    };
    expect(await noticesWith(unused, { program: "import { guest } from 'guest';" })).toEqual(new Map());
  });

  test.each(['GPL-3.0-only', '(MIT OR GPL-3.0-only)', 'SEE LICENSE IN terms.txt', undefined])(
    'the build fails if a package has the license %s',
    async (named) => {
      const json = JSON.stringify({ name: 'guest', version: '1.2.3', license: named });
      const notices = noticesWith({ ...valid, 'package.json': json });
      await expect(notices).rejects.toThrow('The license of guest 1.2.3 is not one of those allowed');
    },
  );

  test.each([
    ['there is no license file', { 'package.json': valid['package.json'] }],
    ['the license file is empty', { ...valid, LICENSE: ' \n' }],
    [
      'there is a NOTICE but no license',
      { 'package.json': valid['package.json'], NOTICE: 'Made by guests.' },
    ],
  ])('the build fails if %s, unless the text is given by hand', async (_, files) => {
    await expect(noticesWith(files)).rejects.toThrow('guest 1.2.3 has no license text');
    const notices = await noticesWith(files, { byHand: [byHand('guest')] });
    expect(notices.get('guest 1.2.3 (MIT)')).toMatch(
      /^Copyright \(c\) 2021 Another\n\nPermission is hereby granted/,
    );
  });

  test.each([
    [
      'a bundler',
      '//#region ../node_modules/.pnpm/@other+kit@4.1.1/node_modules/@other/kit/index.js\n',
      '@other/kit',
    ],
    ['a comment', '/*!\n * other-kit\n * Copyright(c) 2015 Another\n */\n', 'other-kit'],
  ])('the build fails if %s shows copied code, unless its text is given by hand', async (_, mark, name) => {
    const files = { ...valid, 'index.js': `${mark}export const guest = 1;` };
    await expect(noticesWith(files)).rejects.toThrow(
      `guest 1.2.3 has no license text for its code of ${name}`,
    );
    const notices = await noticesWith(files, { byHand: [byHand(name)] });
    expect(notices.get('guest 1.2.3 (MIT)')).toBe(license);
    expect(notices.get(`${name}, copied into guest 1.2.3 (MIT)`)).toContain('Permission is hereby granted');
  });

  test('the build fails if a text is given by hand for a package that is not in the bundle', async () => {
    await expect(noticesWith(valid, { byHand: [byHand('removed')] })).rejects.toThrow(
      'not in the bundle: removed',
    );
  });
});
