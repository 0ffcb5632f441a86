/** The check of `budget-mcp doctor` for the hosts that start this server. */
import { findServers } from '../hosts/find-servers.ts';
import type { Machine } from '../hosts/host-paths.ts';
import type { Check } from './doctor-checks.ts';

export async function checkHosts(machine: Machine): Promise<readonly Check[]> {
  const found = await findServers(machine);
  const checks = found.map((each): Check => {
    const { host, file } = each;
    if ('problem' in each) return { level: 'warn', name: 'host', text: `${host.name}: ${each.problem}` };
    const { name, missing } = each;
    if (missing === undefined)
      return { level: 'ok', name: 'host', text: `${host.name} starts "${name}" by ${file}` };
    return {
      level: 'fail',
      name: 'host',
      text: `${host.name} cannot start "${name}": there is no ${missing}, which ${file} names. Run \`budget-mcp install ${host.id}\`.`,
    };
  });
  if (checks.some(({ level }) => level !== 'warn')) return checks;
  const text = 'no host that is known here starts this server. Run `budget-mcp install <host>`.';
  return [...checks, { level: 'warn', name: 'host', text }];
}
