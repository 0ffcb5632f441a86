/** Caddy in front of several servers, as in `docs/compose`: any server gets any request. */
import { type CaddyProgram, runCaddy } from '../caddy-program.helper.ts';

interface MachinesProxyOptions {
  readonly port: number;
  /** The servers, as `127.0.0.1:PORT`. */
  readonly servers: readonly string[];
  /** Where Caddy keeps its files. */
  readonly directory: string;
}

/**
 * Caddy sends a request again only if no connection could be made, or if it is a GET. `trusted_proxies` lets each person
 * have an address of their own in the test. Idle connections are closed before the servers close them after 65 s, because a
 * POST that meets such an end is not sent again. Without a server that is ready, a caller learns when to come back.
 */
export function runMachinesProxy(options: MachinesProxyOptions): Promise<CaddyProgram> {
  const { port, servers, directory } = options;
  const config = `{
	admin off
	auto_https off
	default_bind 127.0.0.1
	storage file_system ${directory}
}
http://127.0.0.1:${port} {
	reverse_proxy ${servers.join(' ')} {
		lb_policy round_robin
		lb_try_duration 5s
		lb_try_interval 250ms
		health_uri /readyz
		health_interval 1s
		health_timeout 2s
		flush_interval -1
		trusted_proxies 127.0.0.0/8
		transport http {
			keepalive 30s
		}
	}
	handle_errors {
		header Retry-After 5
		respond "{err.status_code} No server is ready. Try again in some seconds." {err.status_code}
	}
}
`;
  return runCaddy(config, directory, 'serving initial configuration');
}
