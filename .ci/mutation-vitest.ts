/** How `npm run mutate` runs the tests of one group. They do not need a build. */
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { z } from 'zod';

const tests = z.array(z.string()).parse(JSON.parse(process.env['MUTATION_TESTS'] ?? '[]'));

/** Runs the tests in the order of the group. Vitest would start with the slowest. */
class InGivenOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const position = ({ moduleId }: TestSpecification) => tests.findIndex((test) => isNamed(moduleId, test));
    return files.toSorted((a, b) => position(a) - position(b));
  }
}

function isNamed(file: string, test: string): boolean {
  const [start = '', isOpen] = test.split('*');
  return file.includes(`/test/${start}${isOpen === undefined ? '.test.ts' : ''}`);
}

export default defineConfig({
  test: {
    include: tests.map((test) => `test/${test}.test.ts`),
    exclude: ['**/*.long.test.ts', '**/*.slow.test.ts', '**/*.alone.test.ts'],
    setupFiles: ['.ci/mutation-setup.ts'],
    sequence: { sequencer: InGivenOrder },
    // Loading every module again for each file would take most of the time.
    isolate: false,
    // A change can make a test wait without end.
    testTimeout: 15_000,
    hookTimeout: 15_000,
  },
});
