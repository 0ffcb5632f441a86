/** How `npm run mutate` runs the tests of one group. They need nothing that is built. */
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { z } from 'zod';

const tests = z.array(z.string()).parse(JSON.parse(process.env['MUTATION_TESTS'] ?? '[]'));

/** In the order in which the group names them: Vitest would begin with what takes longest. */
class InGivenOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => tests.findIndex((test) => isNamed(moduleId, test));
    return files.toSorted((a, b) => place(a) - place(b));
  }
}

function isNamed(file: string, test: string): boolean {
  const [start = '', isOpen] = test.split('*');
  return file.includes(`/test/${start}${isOpen === undefined ? '.test.ts' : ''}`);
}

export default defineConfig({
  test: {
    include: tests.map((test) => `test/${test}.test.ts`),
    exclude: ['**/*.slow.test.ts'],
    setupFiles: ['.ci/mutation-setup.ts'],
    sequence: { sequencer: InGivenOrder },
    // To load everything anew for each file would take most of the time.
    isolate: false,
    // A change may make a test wait for ever.
    testTimeout: 15_000,
    hookTimeout: 15_000,
  },
});
