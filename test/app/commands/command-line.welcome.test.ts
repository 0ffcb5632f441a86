import { expect, test } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { serveHttp } from '../../local-server.helper.ts';
import { hasTerminal, runAtTerminal } from '../../terminal.helper.ts';

test.runIf(hasTerminal)(
  'the program alone in a terminal says what it is and what to type, and ends',
  async () => {
    const { exitCode, output } = await runAtTerminal([]);
    expect(output).toContain(`budget-mcp ${packageJson.version}: `);
    for (const command of ['demo', 'login', '--help']) expect(output).toContain(`  budget-mcp ${command} `);
    expect(exitCode).toBe(0);
  },
);

test.runIf(hasTerminal)('a server by HTTP starts in a terminal without arguments too', async () => {
  const other = await serveHttp(() => {});
  const { exitCode, output } = await runAtTerminal([], {
    BUDGET_MCP_HTTP: 'true',
    BUDGET_MCP_PORT: String(other.port),
    BUDGET_MCP_DEMO: 'true',
  });
  // It tried to listen, on a port that is taken.
  expect(output).toContain('port');
  expect(output).not.toContain('budget-mcp demo');
  expect(exitCode).toBe(1);
});
