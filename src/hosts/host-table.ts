/**
 * The hosts that `budget-mcp install` knows: where each keeps the MCP servers of its user, and how it wants them written.
 * Installing, the checks of `doctor` and docs/hosts.md come from this table.
 */
import { posix, win32 } from 'node:path';
import type { JsonObject } from '../platform/json.ts';
import type { ServerCommand } from './server-command.ts';

/** The machine and the user that a configuration belongs to. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly env: Readonly<NodeJS.ProcessEnv>;
}

export type FormatName = 'json' | 'toml' | 'yaml';

export interface Host {
  /** What a person types. */
  readonly id: string;
  /** What its makers call it. */
  readonly name: string;
  /** The files that it reads: the first one that exists is changed, or the first one is created. */
  readonly files: (machine: Machine) => readonly string[];
  readonly format: FormatName;
  /** Where in the file its servers are, each under its name. */
  readonly keys: readonly string[];
  readonly entry: (server: ServerCommand, name: string) => JsonObject;
}

const pathsOf = ({ platform }: Machine) => (platform === 'win32' ? win32 : posix);

const inHome =
  (...parts: string[]) =>
  (machine: Machine) => [pathsOf(machine).join(machine.home, ...parts)];

/** In the directory that `variable` names, or in `folder` of the home directory. */
const inDirectory = (variable: string, folder: string, file: string) => (machine: Machine) => [
  pathsOf(machine).join(machine.env[variable] || pathsOf(machine).join(machine.home, folder), file),
];

const xdgConfig = (machine: Machine) =>
  machine.env['XDG_CONFIG_HOME'] || pathsOf(machine).join(machine.home, '.config');

const roaming = ({ env, home }: Machine) => env['APPDATA'] || win32.join(home, 'AppData', 'Roaming');

/** Where programs with windows keep the settings of a user. */
function applicationData(machine: Machine): string {
  if (machine.platform === 'win32') return roaming(machine);
  if (machine.platform === 'darwin') return posix.join(machine.home, 'Library', 'Application Support');
  return xdgConfig(machine);
}

const inApplicationData =
  (...parts: string[]) =>
  (machine: Machine) => [pathsOf(machine).join(applicationData(machine), ...parts)];

const plain = ({ command, args }: ServerCommand): JsonObject => ({ command, args });

export const hosts: readonly Host[] = [
  {
    id: 'claude-desktop',
    name: 'Claude Desktop',
    files: inApplicationData('Claude', 'claude_desktop_config.json'),
    format: 'json',
    keys: ['mcpServers'],
    entry: plain,
  },
  {
    id: 'claude-code',
    name: 'Claude Code',
    files: (machine) => [
      pathsOf(machine).join(machine.env['CLAUDE_CONFIG_DIR'] || machine.home, '.claude.json'),
    ],
    format: 'json',
    keys: ['mcpServers'],
    entry: (server) => ({ type: 'stdio', ...plain(server) }),
  },
  {
    id: 'codex',
    name: 'Codex',
    files: inDirectory('CODEX_HOME', '.codex', 'config.toml'),
    format: 'toml',
    keys: ['mcp_servers'],
    entry: plain,
  },
  {
    id: 'cursor',
    name: 'Cursor',
    files: inHome('.cursor', 'mcp.json'),
    format: 'json',
    keys: ['mcpServers'],
    entry: plain,
  },
  {
    id: 'vscode',
    name: 'VS Code',
    files: inApplicationData('Code', 'User', 'mcp.json'),
    format: 'json',
    keys: ['servers'],
    entry: (server) => ({ type: 'stdio', ...plain(server) }),
  },
  {
    id: 'gemini-cli',
    name: 'Gemini CLI',
    files: inHome('.gemini', 'settings.json'),
    format: 'json',
    keys: ['mcpServers'],
    entry: plain,
  },
  {
    id: 'qwen-code',
    name: 'Qwen Code',
    files: inHome('.qwen', 'settings.json'),
    format: 'json',
    keys: ['mcpServers'],
    entry: plain,
  },
  {
    id: 'opencode',
    name: 'OpenCode',
    files: (machine) =>
      ['opencode.json', 'opencode.jsonc'].map((file) =>
        pathsOf(machine).join(xdgConfig(machine), 'opencode', file),
      ),
    format: 'json',
    keys: ['mcp'],
    entry: ({ command, args }) => ({ type: 'local', command: [command, ...args], enabled: true }),
  },
  {
    id: 'zed',
    name: 'Zed',
    files: (machine) => [
      machine.platform === 'win32'
        ? win32.join(roaming(machine), 'Zed', 'settings.json')
        : // On macOS too, and there without regard to XDG_CONFIG_HOME.
          posix.join(
            machine.platform === 'darwin' ? posix.join(machine.home, '.config') : xdgConfig(machine),
            'zed',
            'settings.json',
          ),
    ],
    format: 'json',
    keys: ['context_servers'],
    // Versions of 2025 want the source; newer ones ignore it.
    entry: (server) => ({ source: 'custom', ...plain(server) }),
  },
  {
    id: 'cline',
    name: 'Cline',
    // The extension of VS Code, and the program for the terminal.
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
    format: 'json',
    keys: ['mcpServers'],
    entry: plain,
  },
  {
    id: 'junie',
    name: 'Junie of JetBrains',
    files: inHome('.junie', 'mcp', 'mcp.json'),
    format: 'json',
    keys: ['mcpServers'],
    entry: plain,
  },
  {
    id: 'goose',
    name: 'Goose',
    files: (machine) => [
      machine.platform === 'win32'
        ? win32.join(roaming(machine), 'Block', 'goose', 'config', 'config.yaml')
        : posix.join(xdgConfig(machine), 'goose', 'config.yaml'),
    ],
    format: 'yaml',
    keys: ['extensions'],
    entry: ({ command, args }, name) => ({
      enabled: true,
      type: 'stdio',
      name,
      description: 'Reads and keeps a budget',
      cmd: command,
      args,
      timeout: 300,
    }),
  },
  {
    id: 'copilot-cli',
    name: 'Copilot CLI',
    files: inDirectory('COPILOT_HOME', '.copilot', 'mcp-config.json'),
    format: 'json',
    keys: ['mcpServers'],
    entry: (server) => ({ type: 'local', ...plain(server), tools: ['*'] }),
  },
];

export const hostIds: readonly string[] = hosts.map(({ id }) => id);
