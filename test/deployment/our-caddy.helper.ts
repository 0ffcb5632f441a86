/** `docs/compose/Caddyfile` in a real Caddy, in front of several servers. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CaddyProgram, runCaddy } from '../caddy-program.helper.ts';
import { composeDirectory } from './compose-file.helper.ts';

interface ProxyOptions {
  /** The address that callers use. */
  readonly site: string;
  /** The servers, as `127.0.0.1:PORT`. */
  readonly servers: readonly string[];
  /** Where Caddy keeps its files. */
  readonly directory: string;
}

const caddyfile = readFileSync(join(composeDirectory, 'Caddyfile'), 'utf8');

/** Callers are on this machine. */
const local = caddyfile.replace('{\n', '{\n\tdefault_bind 127.0.0.1\n');

/** Each person in a test has an address of their own, which Caddy would otherwise replace by that of this machine. */
const withAddresses = local.replace(
  '\t\theader_up X-Request-Id',
  '\t\theader_up X-Forwarded-For {header.X-Forwarded-For}\n\t\theader_up X-Request-Id',
);

const READY = 'serving initial configuration';

export interface ProxyChanges {
  /** A caller chooses its address. */
  readonly trustsCallers?: boolean;
  /** Each request goes to the next server, whatever its token is. */
  readonly isInTurn?: boolean;
}

export function runOurCaddy(
  { site, servers, directory }: ProxyOptions,
  { trustsCallers = false, isInTurn = false }: ProxyChanges = {},
): Promise<CaddyProgram> {
  const env = { SITE: site, SERVERS: servers.join(' ') };
  const trusting = trustsCallers ? withAddresses : local;
  const text = isInTurn
    ? trusting.replace('lb_policy header Authorization', 'lb_policy round_robin')
    : trusting;
  return runCaddy(text, directory, READY, env);
}
