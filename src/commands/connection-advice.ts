/** How a person who has signed in connects an assistant. `login` ends with it. */
import { profileOption } from '../auth/profile.ts';
import type { Config } from '../config/load-config.ts';
import { withServer } from '../hosts/edit-config.ts';
import { hosts } from '../hosts/host-table.ts';
import { SERVER_NAME, serverCommand } from '../hosts/server-command.ts';
import { thisMachine } from './install.ts';

/** `program` is the directory of the built program, and `hostId` the host that the person has named, if any. */
export function connectionAdvice(
  { profile }: Pick<Config, 'profile'>,
  program: URL,
  hostId?: string,
): string {
  const options = profileOption(profile);
  const server = serverCommand(program, options);
  const host = hosts.find(({ id }) => id === hostId);
  const install = ['budget-mcp install', host?.id ?? '<host>', ...options].join(' ');
  const start = `To connect your assistant, run \`${install}\`, or paste this`;
  if (!host)
    return `${start} where it keeps its MCP servers:\n\n${JSON.stringify({ mcpServers: { [SERVER_NAME]: server } })}\n`;
  const file = host.files(thisMachine()).at(-1) ?? '';
  return `${start} into ${file}:\n\n${withServer(host, { file, text: '' }, SERVER_NAME, host.entry(server, SERVER_NAME))}`;
}
