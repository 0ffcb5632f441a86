/** The check of `budget-mcp doctor` for the hosts that start this server or connect to it. */

import { quote, visible } from '../../base/quote.ts';
import type { FoundServer } from '../hosts/find-servers.ts';
import { type Check, checkOf } from './doctor-checks.ts';

const check = (level: Check['level'], text: string) => checkOf('host', level, text);

export function checkHosts(found: readonly FoundServer[]): readonly Check[] {
  const checks = found.map((each) => {
    const { host, file } = each;
    if ('problem' in each) return check('warn', `${host.name}: ${each.problem}`);
    if ('url' in each) return checkAddress(each);
    const { name, missing } = each;
    if (missing === undefined) return check('ok', `${host.name} starts ${quote(name)} by ${file}`);
    return check(
      'fail',
      `${host.name} cannot start ${quote(name)}: there is no ${visible(missing)}, which ${file} names. Run \`budget-mcp install ${host.id}\`.`,
    );
  });
  if (checks.some(({ level }) => level !== 'warn')) return checks;
  const text = 'no host that is known here uses this server. Run `budget-mcp install <host>`.';
  return [...checks, check('warn', text)];
}

/** Whether this server is used, and for invented data only. */
export function isDemoOnly(found: readonly FoundServer[]): boolean {
  const servers = found.filter((each) => !('problem' in each));
  return servers.length > 0 && servers.every((each) => 'isDemo' in each && each.isDemo);
}

function checkAddress({ host, file, name, url, isSilent }: Extract<FoundServer, { url: string }>): Check {
  // The rest of an address may be a secret.
  const { origin, pathname } = new URL(url);
  const address = origin + pathname;
  return isSilent
    ? check(
        'fail',
        `${host.name} cannot connect to ${quote(name)}: nothing listens at ${address}, which ${file} names. Run \`budget-mcp serve --http\`.`,
      )
    : check('ok', `${host.name} connects to ${quote(name)} at ${address} by ${file}`);
}
