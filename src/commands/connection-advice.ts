/** How a person who has signed in connects an assistant. `login` ends with it. */
import { DEFAULT_PROFILE } from '../auth/profile.ts';
import type { Config } from '../config/load-config.ts';
import { serverCommand } from '../hosts/server-command.ts';

/** `program` is the directory of the built program. */
export function connectionAdvice(
  { profile, insecureStorage }: Pick<Config, 'profile' | 'insecureStorage'>,
  program: URL,
): string {
  const options = [
    ...(profile === DEFAULT_PROFILE ? [] : ['--profile', profile]),
    ...(insecureStorage ? ['--insecure-storage'] : []),
  ];
  const block = { mcpServers: { budget: serverCommand(program, options) } };
  const install = ['budget-mcp install <host>', ...options].join(' ');
  return `To connect your assistant, run \`${install}\`, or paste this where it keeps its MCP servers:\n\n${JSON.stringify(block)}\n`;
}
