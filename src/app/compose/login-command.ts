/** The command with which a person signs in at a terminal of this machine. */
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serviceAt } from '../../auth/known-services.ts';
import { profileOption } from '../../auth/profile.ts';
import type { Config } from '../config/load-config.ts';

const quoted = (text: string) => (/\s/.test(text) ? `"${text}"` : text);

/** By its name if it was started by that, and else with whole paths: `npx` and bundles put no name on the path. */
function programCommand(program: URL): string {
  const started = process.argv[1] ?? '';
  if (basename(started) === 'budget-mcp' && !started.includes('node_modules')) return 'budget-mcp';
  // A shell of Windows would need more than quotes.
  const node = /\s/.test(process.execPath) ? 'node' : process.execPath;
  return `${node} ${quoted(fileURLToPath(new URL('main.js', program)))}`;
}

/** Names the service, the profile and the place of this server. */
export function loginCommand({ baseUrl, profile, insecureStorage }: Config, program: URL): string {
  const known = serviceAt(baseUrl);
  const service = known ? ['--service', known[0]] : baseUrl === undefined ? [] : ['--base-url', baseUrl];
  const place = insecureStorage ? ['--insecure-storage'] : [];
  return [programCommand(program), 'login', ...service, ...profileOption(profile), ...place].join(' ');
}
