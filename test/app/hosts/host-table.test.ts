import { expect, test } from 'vitest';
import type { Machine } from '../../../src/app/hosts/host-paths.ts';
import { hostIds, hosts } from '../../../src/app/hosts/host-table.ts';

const linux: Machine = { platform: 'linux', home: '/home/ann', env: {} };
const mac: Machine = { platform: 'darwin', home: '/Users/ann', env: { XDG_CONFIG_HOME: '/xdg' } };
const windows: Machine = {
  platform: 'win32',
  home: 'C:\\Users\\ann',
  env: { APPDATA: 'C:\\Users\\ann\\AppData\\Roaming' },
};

const filesOn = (machine: Machine) =>
  Object.fromEntries(hosts.map(({ id, files }) => [id, files(machine).join(' ')]));

test('every host has its own id', () => {
  expect(new Set(hostIds).size).toBe(hosts.length);
});

test('the files of the hosts on Linux', () => {
  expect(filesOn(linux)).toMatchInlineSnapshot(`
    {
      "claude-code": "/home/ann/.claude.json",
      "claude-desktop": "/home/ann/.config/Claude/claude_desktop_config.json",
      "cline": "/home/ann/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json /home/ann/.cline/data/settings/cline_mcp_settings.json",
      "codex": "/home/ann/.codex/config.toml",
      "copilot-cli": "/home/ann/.copilot/mcp-config.json",
      "cursor": "/home/ann/.cursor/mcp.json",
      "gemini-cli": "/home/ann/.gemini/settings.json",
      "goose": "/home/ann/.config/goose/config.yaml",
      "junie": "/home/ann/.junie/mcp/mcp.json",
      "opencode": "/home/ann/.config/opencode/opencode.jsonc /home/ann/.config/opencode/opencode.json",
      "qwen-code": "/home/ann/.qwen/settings.json",
      "vscode": "/home/ann/.config/Code/User/mcp.json",
      "windsurf": "/home/ann/.codeium/windsurf/mcp_config.json",
      "zed": "/home/ann/.config/zed/settings.json",
    }
  `);
});

test('the files of the hosts on macOS', () => {
  expect(filesOn(mac)).toMatchInlineSnapshot(`
    {
      "claude-code": "/Users/ann/.claude.json",
      "claude-desktop": "/Users/ann/Library/Application Support/Claude/claude_desktop_config.json",
      "cline": "/Users/ann/Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json /Users/ann/.cline/data/settings/cline_mcp_settings.json",
      "codex": "/Users/ann/.codex/config.toml",
      "copilot-cli": "/Users/ann/.copilot/mcp-config.json",
      "cursor": "/Users/ann/.cursor/mcp.json",
      "gemini-cli": "/Users/ann/.gemini/settings.json",
      "goose": "/xdg/goose/config.yaml",
      "junie": "/Users/ann/.junie/mcp/mcp.json",
      "opencode": "/xdg/opencode/opencode.jsonc /xdg/opencode/opencode.json",
      "qwen-code": "/Users/ann/.qwen/settings.json",
      "vscode": "/Users/ann/Library/Application Support/Code/User/mcp.json",
      "windsurf": "/Users/ann/.codeium/windsurf/mcp_config.json",
      "zed": "/Users/ann/.config/zed/settings.json",
    }
  `);
});

test('the files of the hosts on Windows', () => {
  expect(filesOn(windows)).toMatchInlineSnapshot(`
    {
      "claude-code": "C:\\Users\\ann\\.claude.json",
      "claude-desktop": "C:\\Users\\ann\\AppData\\Local\\Packages\\Claude_pzs8sxrjxfjjc\\LocalCache\\Roaming\\Claude\\claude_desktop_config.json C:\\Users\\ann\\AppData\\Roaming\\Claude\\claude_desktop_config.json",
      "cline": "C:\\Users\\ann\\AppData\\Roaming\\Code\\User\\globalStorage\\saoudrizwan.claude-dev\\settings\\cline_mcp_settings.json C:\\Users\\ann\\.cline\\data\\settings\\cline_mcp_settings.json",
      "codex": "C:\\Users\\ann\\.codex\\config.toml",
      "copilot-cli": "C:\\Users\\ann\\.copilot\\mcp-config.json",
      "cursor": "C:\\Users\\ann\\.cursor\\mcp.json",
      "gemini-cli": "C:\\Users\\ann\\.gemini\\settings.json",
      "goose": "C:\\Users\\ann\\AppData\\Roaming\\Block\\goose\\config\\config.yaml",
      "junie": "C:\\Users\\ann\\.junie\\mcp\\mcp.json",
      "opencode": "C:\\Users\\ann\\.config\\opencode\\opencode.jsonc C:\\Users\\ann\\.config\\opencode\\opencode.json",
      "qwen-code": "C:\\Users\\ann\\.qwen\\settings.json",
      "vscode": "C:\\Users\\ann\\AppData\\Roaming\\Code\\User\\mcp.json",
      "windsurf": "C:\\Users\\ann\\.codeium\\windsurf\\mcp_config.json",
      "zed": "C:\\Users\\ann\\AppData\\Roaming\\Zed\\settings.json",
    }
  `);
});

test('the last place of Claude Desktop on Windows is the one of an app without a package', () => {
  const { files } = hosts.find(({ id }) => id === 'claude-desktop') ?? {};
  expect(files?.(windows).at(-1)).toBe(
    'C:\\Users\\ann\\AppData\\Roaming\\Claude\\claude_desktop_config.json',
  );
});

test('the variables that move the files of a host are followed', () => {
  const env = {
    CODEX_HOME: '/c',
    CLAUDE_CONFIG_DIR: '/k',
    COPILOT_HOME: '/p',
    XDG_CONFIG_HOME: '/x',
  };
  expect(filesOn({ ...linux, env })).toMatchObject({
    codex: '/c/config.toml',
    'claude-code': '/k/.claude.json',
    'copilot-cli': '/p/mcp-config.json',
    goose: '/x/goose/config.yaml',
    zed: '/x/zed/settings.json',
  });
});
