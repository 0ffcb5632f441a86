import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { sqlite } from '../store/sqlite.helper.ts';
import { testsOfHostedState } from './hosted-state.helper.ts';

/** Files that belong to another one. */
const SUFFIX = /(-shm|-wal|\.locks)$/;

describe.skipIf(!sqlite)('a hosted server with its state in files', () => {
  testsOfHostedState(async () => {
    const state = join(await temporaryDirectory(), 'state');
    return {
      env: { BUDGET_MCP_STATE_DIR: state },
      names: async () => [...new Set(readdirSync(state).map((name) => name.replace(SUFFIX, '')))].toSorted(),
      content: () =>
        readdirSync(state, { withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map(({ name }) => readFileSync(join(state, name), 'latin1'))
          .join('\n'),
    };
  });
});
