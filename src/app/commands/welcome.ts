/** `budget-mcp` alone in a terminal: what it is, and what to type. A host that starts it has no terminal. */
import packageJson from '../../../package.json' with { type: 'json' };

const commands: readonly (readonly [command: string, purpose: string])[] = [
  ['demo', 'see it at work on an invented household; needs no account'],
  ['login', 'sign in to your budgeting service'],
  ['install <host>', 'connect an assistant: claude-desktop, claude-code, codex, cursor, vscode …'],
  ['doctor', 'find out what does not work, and what to do'],
  ['--help', 'all commands and options'],
];

export function runWelcome(stdout: NodeJS.WritableStream): void {
  const lines = [
    `budget-mcp ${packageJson.version}: ${packageJson.description}.`,
    'Your assistant starts it by itself once it is connected. In a terminal, type one of these:',
    '',
    ...commands.map(([command, purpose]) => `  budget-mcp ${command.padEnd(16)} ${purpose}`),
    '',
  ];
  stdout.write(lines.map((line) => `${line}\n`).join(''));
}
