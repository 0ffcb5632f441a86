/** The program, which `main.ts` loads: runs the command that argv names. Only this file ends the process. */
import { loadConfig } from './app/config/load-config.ts';
import { BudgetError } from './base/errors.ts';

const stop = new AbortController();
let isStopping = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // The second signal ends the process without waiting for work in progress.
    if (isStopping) process.exit(130);
    isStopping = true;
    stop.abort();
  });
}

// The reader of the output may stop reading. The program ends then, but first completes a write in progress.
process.stdout.on('error', () => stop.abort());
process.stderr.on('error', () => {});

const { stdin, stdout, stderr } = process;

const context = {
  io: { stdin, stdout, stderr },
  signal: stop.signal,
  /** The directory of the built program. */
  program: new URL('.', import.meta.url),
};

/** Hosts start the server without options. The parser of the command line would be a part of the time that takes. */
async function run(): Promise<void> {
  const [command, ...options] = process.argv.slice(2);
  if ((command === undefined || command === 'serve') && options.length === 0) {
    const config = loadConfig({});
    // No host is at a terminal. A server by HTTP needs none on its standard input.
    if (command === undefined && stdin.isTTY && stdout.isTTY && !config.http) {
      const { runWelcome } = await import('./app/commands/command-line.ts');
      return runWelcome(stdout);
    }
    const { runServe } = await import('./app/commands/serve.ts');
    return runServe(config, context);
  }
  const { runCommandLine } = await import('./app/commands/command-line.ts');
  return runCommandLine(context);
}

try {
  await run();
  // With the code that the command has set, if any.
  process.exit();
} catch (error) {
  // After an interrupt, or when the output is not read any more, the reason is known.
  if (stop.signal.aborted) process.exit(isStopping ? 130 : 0);
  // Any other error than a `BudgetError` is a bug, so its stack is printed.
  const bug = error instanceof Error ? error.stack : String(error);
  process.stderr.write(`budget-mcp: ${error instanceof BudgetError ? error.explanation : bug}\n`);
  process.exit(1);
}
