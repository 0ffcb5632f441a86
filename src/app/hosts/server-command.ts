/** The command with which a host starts this server. */
import { fileURLToPath } from 'node:url';

/** The name of the server in the configuration of a host, unless the person chooses another one. */
export const SERVER_NAME = 'budget';

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * Whole paths, because a host with windows has not the `PATH` of a terminal. `program` is the directory of the built
 * program, and `options` are those of `serve`.
 */
export const serverCommand = (program: URL, options: readonly string[]): ServerCommand => ({
  command: process.execPath,
  args: [fileURLToPath(new URL('main.js', program)), 'serve', ...options],
});
