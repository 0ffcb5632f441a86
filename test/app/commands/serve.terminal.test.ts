/** The server that a person starts in a terminal. */
import { expect, test } from 'vitest';
import { newHome } from '../../home.helper.ts';
import { runProgram } from '../../run-program.helper.ts';
import { hasTerminal, runAtTerminal } from '../../terminal.helper.ts';

test.runIf(hasTerminal).each([
  [['serve', '--demo'], 'budget-mcp install <host> --demo`'],
  [['serve'], 'budget-mcp install <host>`'],
])('%j in a terminal says that it waits for a host, and how to connect one', async (args, command) => {
  const answer = { to: 'by itself.', text: '\u0003' };
  const { exitCode, output } = await runAtTerminal(args, await newHome(), answer);
  expect(output).toMatch(/^budget-mcp waits for a host on its standard input\./);
  expect(output).toContain(command);
  expect(exitCode).toBe(0);
});

test('a server that a host starts says nothing', async () => {
  const { exitCode, stdout, stderr } = await runProgram(['serve', '--demo']);
  expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 0, stdout: '', stderr: '' });
});
