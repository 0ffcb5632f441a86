#!/usr/bin/env node
/** The program: runs the command that argv names. Only this file ends the process. */
import { Command, Option } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import { type Flags, loadConfig } from './config/load-config.ts';
import { type CommandName, helpOf, infoOf, settingsOf } from './config/settings.ts';
import { BudgetError } from './errors.ts';

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

const program = new Command('budget-mcp')
  .description(packageJson.description)
  .version(packageJson.version)
  .showHelpAfterError('(budget-mcp --help lists all commands and options)');

/** Adds the settings of a command as options. */
function withSettings(command: Command, name: CommandName): Command {
  for (const setting of settingsOf(name)) {
    const { flag, variable } = infoOf(setting);
    if (flag) command.addOption(new Option(flag, `${helpOf(setting)} (${variable})`));
  }
  return command;
}

const { stdin, stdout, stderr } = process;

const processContext = {
  io: { stdin, stdout, stderr },
  signal: stop.signal,
  /** The directory of the built program. */
  program: new URL('.', import.meta.url),
};

withSettings(program.command('serve', { isDefault: true }), 'serve')
  .description('the MCP server, on stdio or by HTTP (the default)')
  .addHelpText(
    'after',
    `\nThe access token is the one of \`budget-mcp login\`, or read from ${infoOf('token').variable}, never from an argument.`,
  )
  .action(async (flags: Flags) => {
    const { runServe } = await import('./commands/serve.ts');
    await runServe(loadConfig(flags), processContext.program, stop.signal);
  });

interface LoginFlags extends Flags {
  oauth?: boolean;
  implicit?: boolean;
  redirectUri?: string;
  browser?: boolean;
}

withSettings(program.command('login'), 'login')
  .description('sign in, and store the sign-in in the keychain of this computer')
  .option('--oauth', 'through the browser, by the authorization code grant')
  .option('--implicit', 'through the browser, for an application without a secret; ends after two hours')
  .option(
    '--redirect-uri <uri>',
    'an address on this machine, if the application has registered an exact one',
  )
  .option('--no-browser', 'print the address instead of opening it')
  .addHelpText(
    'after',
    `\nA personal access token is typed at a hidden prompt or piped in, never an argument. The client secret is read from ${infoOf('clientSecret').variable}, or asked for.`,
  )
  .action(async ({ oauth, implicit, redirectUri, browser, ...flags }: LoginFlags) => {
    const { runLogin } = await import('./commands/login.ts');
    const { withSignInContext } = await import('./commands/sign-in-context.ts');
    const options = {
      ...(oauth !== undefined && { oauth }),
      ...(implicit !== undefined && { implicit }),
      ...(redirectUri !== undefined && { redirectUri }),
      ...(browser !== undefined && { browser }),
    };
    const config = loadConfig(flags, undefined, settingsOf('login'));
    await withSignInContext(config, processContext, (config, context) => runLogin(options, config, context));
  });

withSettings(program.command('logout'), 'logout')
  .description('remove the sign-in from the keychain of this computer')
  .action(async (flags: Flags) => {
    const { runLogout } = await import('./commands/logout.ts');
    const { withSignInContext } = await import('./commands/sign-in-context.ts');
    await withSignInContext(loadConfig(flags, undefined, settingsOf('logout')), processContext, runLogout);
  });

withSettings(program.command('status'), 'status')
  .description('show the sign-in, its kind and when it ends, but never the token')
  .action(async (flags: Flags) => {
    const { runStatus } = await import('./commands/status.ts');
    const { withSignInContext } = await import('./commands/sign-in-context.ts');
    await withSignInContext(loadConfig(flags, undefined, settingsOf('status')), processContext, runStatus);
  });

program
  .command('demo')
  .description('ask the server typical questions about invented data and print the answers')
  .action(async () => {
    const { runDemo } = await import('./commands/demo.ts');
    await runDemo(process.stdout, stop.signal);
  });

interface ServiceFlags {
  port?: number;
  transactions?: number;
  months?: number;
  categories?: number;
  payees?: number;
  rateLimit?: number;
  token?: string;
  accessTokenSeconds?: number;
  interface?: string;
}

program
  .command('service')
  .description('the embedded budgeting service alone, for trying out and testing')
  .option('--port <number>', 'listen on this port of 127.0.0.1 (any free one by default)', Number)
  .option('--transactions <number>', 'how many transactions the budget has; below 200 only roughly', Number)
  .option('--months <number>', 'how many months the budget reaches back (24 by default)', Number)
  .option('--categories <number>', 'how many categories the budget has, without internal ones', Number)
  .option('--payees <number>', 'how many payees the budget has', Number)
  .option('--rate-limit <number>', 'requests per hour and token (200 by default)', Number)
  .option('--token <token>', 'accept this access token (a random one by default)')
  .option('--access-token-seconds <number>', 'how long an OAuth access token lives (7200 by default)', Number)
  .option('--interface <version>', 'the version of the interface: 1.77 or 1.85 (the default)')
  .action(async (options: ServiceFlags) => {
    const { runService } = await import('./commands/service.ts');
    await runService(options, { stdout: process.stdout, signal: stop.signal });
  });

try {
  await program.parseAsync();
  process.exit(0);
} catch (error) {
  // After an interrupt, or when the output is not read any more, the reason is known.
  if (stop.signal.aborted) process.exit(isStopping ? 130 : 0);
  // Any other error than a `BudgetError` is a bug, so its stack is printed.
  const bug = error instanceof Error ? error.stack : String(error);
  process.stderr.write(`budget-mcp: ${error instanceof BudgetError ? error.explanation : bug}\n`);
  process.exit(1);
}
