/**
 * The hosts that `budget-mcp install` knows: where each keeps the MCP servers of its user, and how it wants them written.
 * Installing, the checks of `doctor` and docs/hosts.md come from this table.
 */
import type { JsonObject } from '../../base/json.ts';
import {
  claudeDesktopFiles,
  gooseFiles,
  inApplicationData,
  inDirectory,
  inHome,
  inXdgConfig,
  isClaudeDesktopPackaged,
  type Machine,
  zedFiles,
} from './host-paths.ts';

/** The name of the server in the configuration of a host, unless the person chooses another one. */
export const SERVER_NAME = 'budget';

/** The command with which a host starts the server. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

export type FormatName = 'json' | 'toml' | 'yaml';

export interface RunningServer {
  readonly url: string;
  /** The variable of the host's environment that has the token, if the server wants one. */
  readonly tokenVariable?: string;
}

export interface HttpForm {
  /** Some hosts ask for the token, and some have to keep it in their file, because they put no variables in. */
  readonly tokenFrom: 'variable' | 'question' | 'file';
  readonly entry: (server: RunningServer, name: string) => JsonObject;
  /** Further content that the file needs. */
  readonly beside?: JsonObject;
}

export interface Host {
  /** As a person types it. */
  readonly id: string;
  /** As its makers call it. */
  readonly name: string;
  /** The files that it reads: the first one that exists is changed, or the last one is created. */
  readonly files: (machine: Machine) => readonly string[];
  /** True if the host is a package of Windows, which reads the first file only, also where there is none yet. */
  readonly isPackaged?: (machine: Machine) => boolean;
  readonly format: FormatName;
  /** Where in the file its servers are, each under its name. */
  readonly keys: readonly string[];
  readonly entry: (server: ServerCommand, name: string) => JsonObject;
  /** Undefined for a host whose file takes programs only. */
  readonly http?: HttpForm;
  /** Advice for its user, who else would not see the server there. */
  readonly note?: string;
}

const plain = ({ command, args }: ServerCommand): JsonObject => ({ command, args });

/** Stands where a person writes the token. */
export const TOKEN_PLACEHOLDER = 'YOUR_TOKEN';

/** The header for the token. `reference` is how the host names a variable of its environment. */
const headers = (
  { tokenVariable }: RunningServer,
  reference: (variable: string) => string = (variable) => `\${${variable}}`,
): JsonObject =>
  tokenVariable === undefined ? {} : { headers: { Authorization: `Bearer ${reference(tokenVariable)}` } };

/** As Cursor and those that follow it name a variable. */
const inBraces = (variable: string) => `\${env:${variable}}`;

/** For a host that puts no variables in. */
const written = (): string => TOKEN_PLACEHOLDER;

const gooseExtension = (name: string, form: JsonObject): JsonObject => ({
  enabled: true,
  name,
  description: 'Reads and keeps a budget',
  ...form,
  timeout: 300,
});

interface HttpFields {
  readonly tokenFrom?: HttpForm['tokenFrom'];
  readonly type?: string;
  /** The name of the field with the address. */
  readonly address?: string;
  readonly reference?: (variable: string) => string;
  readonly further?: JsonObject;
}

/** An entry with an address and a header. */
const connecting = (fields: HttpFields): HttpForm => {
  const { tokenFrom = 'variable', type, address = 'url', reference, further } = fields;
  return {
    tokenFrom,
    entry: (server) => ({
      ...(type !== undefined && { type }),
      [address]: server.url,
      ...headers(server, reference),
      ...further,
    }),
  };
};

/** The command line tools that come from Gemini CLI: `url` would be the transport of 2024 there. */
const geminiHttp = connecting({ address: 'httpUrl' });

/** The address, and the token where one is written by hand. */
const urlInFile = connecting({ tokenFrom: 'file', reference: written });

type HostFacts = Pick<Host, 'id' | 'name' | 'files'> & Partial<Host>;

const facts: readonly HostFacts[] = [
  {
    id: 'claude-desktop',
    name: 'Claude Desktop',
    files: claudeDesktopFiles,
    isPackaged: isClaudeDesktopPackaged,
  },
  {
    id: 'claude-code',
    name: 'Claude Code',
    files: inDirectory('CLAUDE_CONFIG_DIR', '', '.claude.json'),
    entry: (server) => ({ type: 'stdio', ...plain(server) }),
    http: connecting({ type: 'http' }),
  },
  {
    id: 'codex',
    name: 'Codex',
    files: inDirectory('CODEX_HOME', '.codex', 'config.toml'),
    format: 'toml',
    keys: ['mcp_servers'],
    http: {
      tokenFrom: 'variable',
      entry: ({ url, tokenVariable }) => ({
        url,
        ...(tokenVariable !== undefined && { bearer_token_env_var: tokenVariable }),
      }),
    },
  },
  {
    id: 'cursor',
    name: 'Cursor',
    files: inHome('.cursor', 'mcp.json'),
    http: connecting({ reference: inBraces }),
  },
  {
    id: 'windsurf',
    name: 'Windsurf',
    files: inHome('.codeium', 'windsurf', 'mcp_config.json'),
    http: connecting({ address: 'serverUrl', reference: inBraces }),
  },
  {
    id: 'vscode',
    name: 'VS Code',
    files: inApplicationData('Code', 'User', 'mcp.json'),
    keys: ['servers'],
    entry: (server) => ({ type: 'stdio', ...plain(server) }),
    http: {
      // It does not put variables of the environment into headers reliably (microsoft/vscode#336232).
      ...connecting({
        tokenFrom: 'question',
        type: 'http',
        reference: () => `$\{input:budget-mcp-token}`,
      }),
      beside: {
        inputs: [
          {
            type: 'promptString',
            id: 'budget-mcp-token',
            description: 'Token of budget-mcp',
            password: true,
          },
        ],
      },
    },
  },
  {
    id: 'gemini-cli',
    name: 'Gemini CLI',
    files: inHome('.gemini', 'settings.json'),
    http: geminiHttp,
    note: 'Gemini CLI starts servers only in folders that you trust. Where it shows them as disabled, type `/permissions` there.',
  },
  {
    id: 'qwen-code',
    name: 'Qwen Code',
    files: inHome('.qwen', 'settings.json'),
    http: geminiHttp,
  },
  {
    id: 'opencode',
    name: 'OpenCode',
    files: (machine) =>
      ['opencode.jsonc', 'opencode.json'].flatMap((file) => inXdgConfig('opencode', file)(machine)),
    // Version 2 prefers `mcp.servers`, and reads this too.
    keys: ['mcp'],
    entry: ({ command, args }) => ({ type: 'local', command: [command, ...args], enabled: true }),
    http: connecting({
      type: 'remote',
      reference: (variable) => `{env:${variable}}`,
      further: { enabled: true },
    }),
  },
  {
    id: 'zed',
    name: 'Zed',
    files: zedFiles,
    keys: ['context_servers'],
    // Versions of 2025 want the source; newer ones ignore it.
    entry: (server) => ({ source: 'custom', ...plain(server) }),
    http: urlInFile,
  },
  {
    id: 'cline',
    name: 'Cline',
    // The extension of VS Code, which creates its file by itself, and the program for the terminal.
    files: (machine) => [
      ...inApplicationData(
        'Code',
        'User',
        'globalStorage',
        'saoudrizwan.claude-dev',
        'settings',
        'cline_mcp_settings.json',
      )(machine),
      ...inHome('.cline', 'data', 'settings', 'cline_mcp_settings.json')(machine),
    ],
    http: connecting({ tokenFrom: 'file', type: 'streamableHttp', reference: written }),
  },
  {
    id: 'junie',
    name: 'Junie of JetBrains',
    files: inHome('.junie', 'mcp', 'mcp.json'),
    http: urlInFile,
  },
  {
    id: 'goose',
    name: 'Goose',
    files: gooseFiles,
    format: 'yaml',
    keys: ['extensions'],
    entry: ({ command, args }, name) => gooseExtension(name, { type: 'stdio', cmd: command, args }),
    http: {
      tokenFrom: 'variable',
      entry: (server, name) =>
        gooseExtension(name, {
          type: 'streamable_http',
          uri: server.url,
          ...headers(server),
          ...(server.tokenVariable !== undefined && { env_keys: [server.tokenVariable] }),
        }),
    },
  },
  {
    id: 'copilot-cli',
    name: 'Copilot CLI',
    files: inDirectory('COPILOT_HOME', '.copilot', 'mcp-config.json'),
    entry: (server) => ({ type: 'local', ...plain(server), tools: ['*'] }),
    http: connecting({ type: 'http', further: { tools: ['*'] } }),
  },
];

/** What a host does not say is as in most of them. */
export const hosts: readonly Host[] = facts.map((host) => ({
  format: 'json',
  keys: ['mcpServers'],
  entry: plain,
  ...host,
}));

export const hostIds: readonly string[] = hosts.map(({ id }) => id);
