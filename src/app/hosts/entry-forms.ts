/** Forms of entries that several hosts share. */
import type { JsonObject } from '../../base/json.ts';
import type { ServerCommand } from './server-command.ts';

/** A server that runs by itself. */
export interface RunningServer {
  readonly url: string;
  /** The variable of the host's environment that has the token, if the server wants one. */
  readonly tokenVariable?: string;
}

export const plain = ({ command, args }: ServerCommand): JsonObject => ({ command, args });

/** Stands where a person writes the token. */
export const TOKEN_PLACEHOLDER = 'YOUR_TOKEN';

/** The header for the token. `reference` is how the host names a variable of its environment. */
export const headers = (
  { tokenVariable }: RunningServer,
  reference: (variable: string) => string = (variable) => `\${${variable}}`,
): JsonObject =>
  tokenVariable === undefined ? {} : { headers: { Authorization: `Bearer ${reference(tokenVariable)}` } };

/** For a host that puts no variables in. */
export const written = (): string => TOKEN_PLACEHOLDER;

export const gooseExtension = (name: string, form: JsonObject): JsonObject => ({
  enabled: true,
  name,
  description: 'Reads and keeps a budget',
  ...form,
  timeout: 300,
});
