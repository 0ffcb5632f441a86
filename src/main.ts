#!/usr/bin/env node
/** The program: argv to a command. The only place that ends the process. */
import { Command, InvalidArgumentError, Option } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import { type Flags, loadConfig, settings } from './config.ts';
import { BudgetError } from './errors.ts';

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());

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
  .description('ask the server six questions about invented data and print the answers')
  .action(async () => {
    const { runDemo } = await import('./commands/demo.ts');
    await runDemo(process.stdout, stop.signal);
  });

program
  .command('service')
  .description('the embedded budgeting service alone, for trying out and testing')
  .option(
    '--port <number>',
    'listen on this port of 127.0.0.1 (any free one by default)',
    wholeNumber(0, 65_535),
  )
  .option('--transactions <number>', 'how many transactions the budget holds', wholeNumber(0, 1_000_000))
  .option('--rate-limit <number>', 'requests per hour and token', wholeNumber(1, 1_000_000))
  .option('--token <token>', 'accept this access token')
  .action(async (options: { port?: number; transactions?: number; rateLimit?: number; token?: string }) => {
    const { runService } = await import('./commands/service.ts');
    await runService(options, { stdout: process.stdout, signal: stop.signal });
  });

function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}

try {
  await program.parseAsync();
  process.exit(0);
} catch (error) {
  const known = error instanceof BudgetError ? `${error.message} ${error.advice}` : undefined;
  process.stderr.write(`budget-mcp: ${known ?? (error instanceof Error ? error.message : String(error))}\n`);
  process.exit(1);
}
