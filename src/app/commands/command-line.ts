/** The command line: the commands with their options and their help. Each command is loaded when it is called. */
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { distance } from 'fastest-levenshtein';
import packageJson from '../../../package.json' with { type: 'json' };
import { systemClock } from '../../base/clock.ts';
import { type Config, type Flags, loadConfig } from '../config/load-config.ts';
import type { CommandName } from '../config/setting.ts';
import { helpOf, infoOf, settingsOf, stdioSettings } from '../config/settings.ts';
import { type Host, hostIds, hosts, SERVER_NAME } from '../hosts/host-table.ts';
import type { ChangeOptions, InstallOptions } from './install.ts';
import type { LoginOptions } from './login.ts';
import type { ServiceCommandOptions } from './service.ts';
import type { ProcessContext, SignInContext } from './sign-in-context.ts';

/** Adds settings as options, by default those of the command `name`. */
function withSettings(command: Command, name: CommandName, settings = settingsOf(name)): Command {
  for (const setting of settings) {
    const { flag, variable } = infoOf(setting);
    if (!flag) continue;
    const option = new Option(flag, `${helpOf(setting)} (${variable})`);
    // Otherwise commander reads `--no-state` as a setting `state` that is true by default and wins over the variable.
    option.negate = false;
    command.addOption(option);
  }
  return command;
}

type LoginFlags = Flags & LoginOptions & { readonly for?: Host };

type CallFlags = Flags & { readonly json?: boolean };

type ChangeFlags = Flags & Omit<InstallOptions, 'host'>;

/** Throws with the hosts that the person may have meant. */
function parseHost(typed: string): Host {
  const id = typed.toLowerCase();
  const host = hosts.find((each) => each.id === id);
  if (host) return host;
  const near = hostIds.filter((known) => known.includes(id) || distance(known, id) <= 2);
  throw new InvalidArgumentError(
    near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `The known hosts are ${hostIds.join(', ')}.`,
  );
}

const withHost = (command: Command): Command =>
  command
    .addArgument(
      new Argument('<host>', 'the program that starts the server').choices(hostIds).argParser(parseHost),
    )
    .option('--name <name>', 'the name of the server in the configuration', SERVER_NAME)
    .option('--url <url>', 'the address of a server that runs by itself, instead of starting one')
    .option('--yes', 'change the file without a question');

const configOf = (name: CommandName, flags: Flags) => loadConfig(flags, undefined, settingsOf(name));

export async function runCommandLine(context: ProcessContext): Promise<void> {
  const program = new Command('budget-mcp')
    .description(packageJson.description)
    .version(packageJson.version)
    .showHelpAfterError('(budget-mcp --help lists all commands and options)');

  const withSignIn = async (config: Config, run: (config: Config, context: SignInContext) => Promise<void>) =>
    (await import('./sign-in-context.ts')).withSignInContext(config, context, run);

  // With a default command, commander takes a mistyped command for an argument of it, and suggests nothing.
  const isDefault = !/^[^-]/.test(process.argv[2] ?? '');
  withSettings(program.command('serve', { isDefault }), 'serve')
    .description('the MCP server, on stdio or by HTTP (the default)')
    .addHelpText(
      'after',
      `\nThe access token is the one of \`budget-mcp login\`, or read from ${infoOf('token').variable}, never from an argument.`,
    )
    .action(async (flags: Flags) => {
      const { runServe } = await import('./serve.ts');
      await runServe(loadConfig(flags), context);
    });

  withSettings(program.command('login'), 'login')
    .description('sign in, and store the sign-in in the keychain of this computer')
    .option('--oauth', 'through the browser, by the authorization code grant')
    .option('--implicit', 'through the browser, for an application without a secret; ends after two hours')
    .option(
      '--redirect-uri <uri>',
      'an address on this machine, if the application has registered an exact one',
    )
    .option('--no-browser', 'print the address instead of opening it')
    .addOption(
      new Option('--for <host>', 'end with the lines for this host').choices(hostIds).argParser(parseHost),
    )
    .addHelpText(
      'after',
      `\nA personal access token is typed at a hidden prompt or piped in, never an argument. The client secret is read from ${infoOf('clientSecret').variable}, or asked for.`,
    )
    .action(async ({ oauth, implicit, redirectUri, browser, for: host, ...flags }: LoginFlags) => {
      const { runLogin } = await import('./login.ts');
      const { connectionAdvice } = await import('./install.ts');
      const config = configOf('login', flags);
      const options = { oauth, implicit, redirectUri, browser };
      await withSignIn(config, (config, context) => runLogin(options, config, context));
      context.io.stdout.write(`\n${connectionAdvice(config, context.program, host)}`);
    });

  withSettings(program.command('logout'), 'logout')
    .description('remove the sign-in from the keychain of this computer')
    .action(async (flags: Flags) => {
      const { runLogout } = await import('./status.ts');
      await withSignIn(configOf('logout', flags), runLogout);
    });

  withSettings(program.command('status'), 'status')
    .description('show the sign-in, its kind and when it ends, but never the token')
    .action(async (flags: Flags) => {
      const { runStatus } = await import('./status.ts');
      await withSignIn(configOf('status', flags), runStatus);
    });

  withSettings(withHost(program.command('install')), 'serve', stdioSettings)
    .description('write the server into the configuration file of a host, after showing the change')
    .option('--token-variable <name>', 'the variable in which the host finds the token for --url')
    .addHelpText('after', '\nThe options of the server are written down too, such as --demo and --profile.')
    .action(async (host: Host, { name, yes, url, tokenVariable, ...flags }: ChangeFlags) => {
      const { runInstall } = await import('./install.ts');
      await runInstall({ host, name, yes, url, tokenVariable }, flags, context);
      if (url !== undefined || flags.demo) return;
      const { offerSignIn } = await import('./login.ts');
      await offerSignIn(flags, context);
    });

  withHost(program.command('uninstall'))
    .description('take the server out of the configuration file of a host again')
    .action(async (host: Host, options: Omit<ChangeOptions, 'host'>) => {
      const { runUninstall } = await import('./install.ts');
      await runUninstall({ host, ...options }, context);
    });

  withSettings(program.command('doctor'), 'doctor')
    .description('check what the server needs on this machine, and say what to do')
    .addHelpText('after', '\nIt asks the service once, if there is a token. It ends with 1 if a check fails.')
    .action(async (flags: Flags) => {
      const { runDoctor } = await import('./doctor.ts');
      const isFine = await runDoctor(() => configOf('doctor', flags), context);
      if (!isFine) process.exitCode = 1;
    });

  withSettings(program.command('forget'), 'forget')
    .description('for a hosted server: remove everything that is stored about a person')
    .argument('<user-id>', 'the id of the person at the budgeting service, as `get_user` shows it')
    .action(async (userId: string, flags: Flags) => {
      const { forgetPerson } = await import('../compose/hosted.ts');
      const { grants, isRemoved } = await forgetPerson(configOf('forget', flags), userId, systemClock);
      const ended =
        grants === 0
          ? 'No application had access. If one had, check the id and the settings.'
          : `${grants} ${grants === 1 ? 'application has' : 'applications have'} no access any more.`;
      const { STATE_IN_USE } = await import('./status.ts');
      const open = isRemoved ? '' : ` ${STATE_IN_USE}`;
      context.io.stdout.write(`Nothing is stored about this person. ${ended}${open}\n`);
    });

  const ofCall = stdioSettings.filter((name) => name !== 'structured');
  withSettings(program.command('call'), 'serve', ofCall)
    .description('call a tool, and print what an assistant would read')
    .argument('<tool>', 'its name, such as check_month (docs/tools.md)')
    .argument('[json]', 'its arguments', '{}')
    .option('--json', 'print the structured content instead')
    .addHelpText(
      'after',
      `\nAs in budget-mcp call report '{"of": "spending", "by": "category"}'. It ends with 1 for an error.`,
    )
    .action(async (tool: string, args: string, { json = false, ...flags }: CallFlags) => {
      const { runCall } = await import('./call.ts');
      const config = loadConfig({ ...flags, structured: json }, undefined, ofCall);
      if (!(await runCall(tool, args, config, context))) process.exitCode = 1;
    });

  program
    .command('demo')
    .description('ask the server typical questions about invented data and print the answers')
    .action(async () => {
      const { runDemo } = await import('./demo.ts');
      await runDemo(context.io.stdout, context.signal);
    });

  program
    .command('service')
    .description('the embedded budgeting service alone, for trying out and testing')
    .option('--port <number>', 'listen on this port of 127.0.0.1 (any free one by default)', Number)
    .option('--transactions <number>', 'how many transactions the budget has; below 200 only roughly', Number)
    .option('--months <number>', 'how many months the budget reaches back (24 by default)', Number)
    .option('--categories <number>', 'how many categories the budget has, without internal ones', Number)
    .option('--payees <number>', 'how many payees the budget has', Number)
    .option('--people <number>', 'how many people there are, each with budgets of this size', Number)
    .option('--redirect-uri <url>', 'another address that the OAuth application may redirect to')
    .option('--rate-limit <number>', 'requests per hour and token (200 by default)', Number)
    .option('--token <token>', 'accept this access token (a random one by default)')
    .option(
      '--access-token-seconds <number>',
      'how long an OAuth access token lives (7200 by default)',
      Number,
    )
    .option('--untidy', 'budgets with what years of use leave behind, such as references to what is gone')
    .option('--interface <version>', 'the version of the interface: 1.77, 1.85 or 1.86 (the default)')
    .action(async (options: ServiceCommandOptions) => {
      const { runService } = await import('./service.ts');
      await runService(options, { stdout: context.io.stdout, signal: context.signal });
    });

  await program.parseAsync();
}

const firstCommands: readonly (readonly [command: string, purpose: string])[] = [
  ['demo', 'see it at work on an invented household; needs no account'],
  ['login', 'sign in to your budgeting service'],
  ['install <host>', 'connect an assistant: claude-desktop, claude-code, codex, cursor, vscode …'],
  ['doctor', 'find out what does not work, and what to do'],
  ['--help', 'all commands and options'],
];

/** `budget-mcp` alone in a terminal: what it is, and what to type. A host that starts it has no terminal. */
export function runWelcome(stdout: NodeJS.WritableStream): void {
  const lines = [
    `budget-mcp ${packageJson.version}: ${packageJson.description}.`,
    'Your assistant starts it by itself once it is connected. In a terminal, type one of these:',
    '',
    ...firstCommands.map(([command, purpose]) => `  budget-mcp ${command.padEnd(16)} ${purpose}`),
    '',
  ];
  stdout.write(lines.map((line) => `${line}\n`).join(''));
}
