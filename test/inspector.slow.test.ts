import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import packageJson from '../package.json' with { type: 'json' };
import { catalogue } from '../src/features/catalogue.ts';
import { program } from './hosts.helper.ts';
import { type HttpProgram, startHttpProgram } from './http-program.helper.ts';
import { inspect } from './inspector.ts';
import { noRegistry } from './registry.helper.ts';

/** Without a folder of statements. */
const offered = catalogue.filter(({ needsStatements }) => !needsStatements);

const listed = z.object({ tools: z.array(z.object({ name: z.string() })) });
const called = z.object({
  content: z.array(z.object({ text: z.string() })),
});

/** The first run downloads the Inspector. */
const timeout = 180_000;

test.skipIf(noRegistry)(
  '`npm run inspect` says what it downloads, and passes on the options of its command line',
  { timeout },
  async () => {
    // As the script does, but without a build, which other tests would notice.
    const args = ['tsx', 'test/inspector.ts', '--run', '--cli', '--method', 'tools/list'];
    const cwd = new URL('..', import.meta.url);
    const { stdout, stderr } = await promisify(execFile)('npx', args, { cwd });
    expect(packageJson.scripts.inspect).toMatch(/ tsx test\/inspector\.ts --run$/);
    expect(stderr).toMatch(/^Starting the MCP Inspector .* npm registry \(about \d+ MB\)\.$/m);
    expect(listed.parse(JSON.parse(stdout)).tools).toHaveLength(offered.length);
  },
);

describe.skipIf(noRegistry)('the Inspector', () => {
  let http: HttpProgram;
  beforeAll(async () => {
    http = await startHttpProgram();
  });
  afterAll(() => http.stop());

  const ways = [
    ['on stdio', () => ['--', process.execPath, program, 'serve', '--demo']],
    ['by HTTP', () => ['--transport', 'http', '--server-url', http.url]],
  ] as const;

  describe.each(ways)('the Inspector %s', (_, target) => {
    test.each(['modern', 'legacy'])(
      'the Inspector lists the tools and finds no fault in their schemas, in the %s era',
      { timeout },
      async (era) => {
        const options = ['--protocol-era', era, '--method', 'tools/list', '--strict'];
        const { stdout, stderr } = await inspect(...options, ...target());
        const { tools } = listed.parse(JSON.parse(stdout));
        expect(tools).toHaveLength(offered.length);
        expect(stderr).not.toMatch(/warning|error/i);
      },
    );

    test('the Inspector can call a tool', { timeout }, async () => {
      const options = ['--protocol-era', 'auto', '--method', 'tools/call', '--tool-name', 'get_month'];
      const { stdout } = await inspect(...options, '--tool-arg', 'month=current', ...target());
      const { content } = called.parse(JSON.parse(stdout));
      expect(content[0]?.text).toMatch(/^Budget "Household"/);
      expect(content[0]?.text).toContain('"Groceries"');
    });
  });
});
