import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_INTERFACE_VERSION, type InterfaceVersion } from '../../../src/service/interface-version.ts';
import { startWritingService, type WritingService } from '../../service/writes/writing.helper.ts';
import { anyWrite, tools } from './any-write.helper.ts';
import { noCounts, type Setting, startComparing } from './refused-alike.helper.ts';

const WRITES = 20;

/** Of all settings together: what a single one meets is too much a matter of chance. */
const counts = noCounts();

describe.each<[string, InterfaceVersion, Setting, number]>([
  ['with a cached budget', DEFAULT_INTERFACE_VERSION, {}, 20],
  ['without a cached budget', DEFAULT_INTERFACE_VERSION, { cacheBytes: 0 }, 10],
  ['of a currency without decimals', DEFAULT_INTERFACE_VERSION, { decimals: 0 }, 5],
  ['of a service of the version 1.77', '1.77', { decimals: 3 }, 10],
])('a dry run %s', (_, version, setting, numRuns) => {
  let service: WritingService;
  beforeAll(async () => {
    service = await startWritingService({ version });
  });
  afterAll(() => service.close());

  test('it reports problems exactly if the service refuses the write, and sends none', async () => {
    const writes = fc.array(anyWrite, { minLength: WRITES, maxLength: WRITES });
    const property = fc.asyncProperty(writes, async (all) => {
      const { compareAny } = startComparing(service, setting);
      for (const write of all) await compareAny(write, counts);
    });
    // A failure names the call. A shorter example would not show more.
    const options = { numRuns: Number(process.env['DRY_RUNS'] ?? numRuns), endOnFailure: true };
    await fc.assert(property, options);
  });
});

test('the writes that were compared are of most tools, and many of them were refused by the service', () => {
  expect(counts['refused by the service'].size).toBeGreaterThan(7);
  expect(counts.written.size).toBeGreaterThan(tools.length / 2);
});
