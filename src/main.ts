#!/usr/bin/env node
/** The program: argv to a command. The only place that ends the process. */
import { Command, Option } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import { type Flags, loadConfig, settings } from './config.ts';
import { BudgetError } from './errors.ts';

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // Whoever asks twice does not want to wait for what is under way.
    if (stop.signal.aborted) process.exit(130);
    stop.abort();
  });
}

// Whoever reads our output may stop reading; there is nobody left to tell.
process.stdout.on('error', () => process.exit(0));

const program = new Command('budget-mcp')
  .description(packageJson.description)
  .version(packageJson.version)
  .showHelpAfterError('(budget-mcp --help lists what there is)');

const serve = program
  .command('serve', { isDefault: true })
  .description('the MCP server on stdio (the default)');
for (const { flag, variable, help } of Object.values(settings)) {
  if (flag) serve.addOption(new Option(flag, `${help} (${variable})`));
}
serve.addHelpText(
  'after',
  `\nThe access token is read from ${settings.token.variable}, never from an argument.`,
);
serve.action(async (flags: Flags) => {
  const { runServe } = await import('./commands/serve.ts');
  await runServe(loadConfig(flags), stop.signal);
});

program
  .command('demo')
  .description('ask the server what people ask about invented data and print the answers')
  .action(async () => {
    const { runDemo } = await import('./commands/demo.ts');
    await runDemo(process.stdout, stop.signal);
  });

program
  .command('service')
  .description('the embedded budgeting service alone, for trying out and testing')
  .option('--port <number>', 'listen on this port of 127.0.0.1 (any free one by default)', Number)
  .option('--transactions <number>', 'how many transactions the budget holds; below 200 only roughly', Number)
  .option('--rate-limit <number>', 'requests per hour and token (200 by default)', Number)
  .option('--token <token>', 'accept this access token (a random one by default)')
  .action(async (options: { port?: number; transactions?: number; rateLimit?: number; token?: string }) => {
    const { runService } = await import('./commands/service.ts');
    await runService(options, { stdout: process.stdout, signal: stop.signal });
  });

try {
  await program.parseAsync();
  process.exit(0);
} catch (error) {
  // Whoever interrupts a command knows why it ended.
  if (stop.signal.aborted) process.exit(130);
  const known = error instanceof BudgetError ? `${error.message} ${error.advice}` : undefined;
  process.stderr.write(`budget-mcp: ${known ?? (error instanceof Error ? error.message : String(error))}\n`);
  process.exit(1);
}
