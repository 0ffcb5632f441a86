/**
 * What hosts read from this repository: the blocks in docs/hosts.md, and the files with which Gemini CLI, Claude Code and
 * others install it from a clone. `npm run generate` writes them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import packageJson from '../../../package.json' with { type: 'json' };
import { loadConfig } from '../../../src/app/config/load-config.ts';
import { infoOf } from '../../../src/app/config/settings.ts';
import { withServer } from '../../../src/app/hosts/edit-config.ts';
import type { Machine } from '../../../src/app/hosts/host-paths.ts';
import {
  type Host,
  hosts,
  type RunningServer,
  type ServerCommand,
} from '../../../src/app/hosts/host-table.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { withPart } from '../../generated-part.helper.ts';

/** Whether the package is in the npm registry. With the first release this becomes true. */
const IS_PUBLISHED: boolean = false;

const { name: packageName, version, description, license, keywords } = packageJson;

/** What starts the program on a machine of a user. */
const command = (...args: string[]): ServerCommand =>
  IS_PUBLISHED ? { command: 'npx', args: ['-y', packageName, ...args] } : { command: packageName, args };

const demo = command('serve', '--demo');
const demoLine = [demo.command, ...demo.args].join(' ');

const { host: address, port } = loadConfig({ http: true }, {});

/** The server of `serve --http` with a token, as all blocks name it. */
export const running: Required<RunningServer> = {
  url: `http://${address}:${port}/mcp`,
  tokenVariable: infoOf('httpToken').variable,
};

export interface Block {
  readonly host: Host;
  readonly transport: 'stdio' | 'http';
  /** The whole file of a host that has no other server. */
  readonly text: string;
}

/** The same text that `budget-mcp install` would write. */
const blockOf = (
  host: Host,
  transport: Block['transport'],
  entry: JsonObject,
  beside?: JsonObject,
): Block => ({
  host,
  transport,
  text: withServer(
    host,
    { file: '', text: beside ? `${JSON.stringify(beside, null, 2)}\n` : '' },
    'budget',
    entry,
  ),
});

export const blocks: readonly Block[] = hosts.flatMap((host) => {
  const { entry, http } = host;
  const started = blockOf(host, 'stdio', entry(demo, 'budget'));
  return http ? [started, blockOf(host, 'http', http.entry(running, 'budget'), http.beside)] : [started];
});

/** The hosts that open a link, by id. GitHub shows links with `https:` only, so that both pages lead on to the program. */
export const links: Readonly<Record<string, string>> = {
  cursor: `https://cursor.com/en/install-mcp?${new URLSearchParams({
    name: 'budget',
    config: Buffer.from(JSON.stringify(demo)).toString('base64'),
  })}`,
  vscode: `https://insiders.vscode.dev/redirect/mcp/install?name=budget&config=${encodeURIComponent(
    JSON.stringify({ type: 'stdio', ...demo }),
  )}`,
};

/** The commands with which hosts add the server to their own files, by id. */
export const addCommands: Readonly<Record<string, string>> = {
  'claude-code': `claude mcp add --scope user budget -- ${demoLine}`,
  codex: `codex mcp add budget -- ${demoLine}`,
  'gemini-cli': `gemini mcp add --scope user budget ${demoLine}`,
  'qwen-code': `qwen mcp add --scope user budget ${demoLine}`,
  vscode: `code --add-mcp '${JSON.stringify({ name: 'budget', type: 'stdio', ...demo })}'`,
  'copilot-cli': `copilot mcp add budget -- ${demoLine}`,
};

const machines: readonly (readonly [name: string, machine: Machine])[] = [
  ['Linux', { platform: 'linux', home: '~', env: {} }],
  ['macOS', { platform: 'darwin', home: '~', env: {} }],
  [
    'Windows',
    {
      platform: 'win32',
      home: '%USERPROFILE%',
      env: { APPDATA: '%APPDATA%', LOCALAPPDATA: '%LOCALAPPDATA%' },
    },
  ],
];

/** One line for each place, with the systems that have it there. */
function fileLines({ files }: Host): string[] {
  const systems = new Map<string, string[]>();
  for (const [system, machine] of machines) {
    const paths = files(machine).map((file) => `\`${file}\``);
    const place = paths.join(' or ');
    systems.set(place, [...(systems.get(place) ?? []), system]);
  }
  return [...systems].map(([place, names]) => `- ${names.join(', ')}: ${place}`);
}

/** A list of short texts stands in one line. */
const fenced = (language: string, text: string) => [
  `\`\`\`${language}`,
  text
    .trimEnd()
    .replace(/\[\n\s*([^[\]{}]*?)\n\s*\]/g, (_, items: string) => `[${items.replace(/,\n\s*/g, ', ')}]`),
  '```',
];

const tokenNotes = {
  variable: `By HTTP, with \`${running.tokenVariable}\` in the environment of the host:`,
  question: 'By HTTP. The host asks for the token once, and keeps it:',
  file: 'By HTTP, with the token itself in the file, which others must not be able to read:',
} as const;

function sectionOf(host: Host): string {
  const { id, name, format, http, note } = host;
  const textOf = (wanted: Block['transport']) =>
    blocks.find((block) => block.host === host && block.transport === wanted)?.text ?? '';
  const [link, add] = [links[id], addCommands[id]];
  return [
    `### ${name}`,
    '',
    `\`budget-mcp install ${id}\`${link ? `, or one click: [add it to ${name}](${link})` : ''}`,
    '',
    ...fileLines(host),
    '',
    ...(add ? [...fenced('sh', add), ''] : []),
    ...(note === undefined ? [] : [note, '']),
    ...fenced(format, textOf('stdio')),
    '',
    ...(http
      ? [tokenNotes[http.tokenFrom], '', ...fenced(format, textOf('http'))]
      : ['Its file takes no servers by HTTP.']),
  ].join('\n');
}

const today = IS_PUBLISHED
  ? `\`npx -y ${packageName}\` gets the program from the npm registry and starts it. \`npm install -g ${packageName}\` puts the
command \`budget-mcp\` on your path, for \`budget-mcp install\` and \`budget-mcp login\`.`
  : `The package is not in the npm registry yet, so the blocks start the command \`budget-mcp\`. In a clone, \`npm ci\` builds the
program, and \`node dist/main.js install <host>\` writes \`node\` and \`dist/main.js\` with their whole paths in the place of the
command: do so by hand too. \`npm install -g\` with the file that \`npm pack\` makes puts the command on your path, where you
may write into npm's folder. Once the package is published, the blocks start \`npx -y ${packageName}\` instead, and need neither.`;

const plugins = IS_PUBLISHED
  ? `Both start the program by \`npx\`, so that the address of the repository is enough.`
  : `Both start \`dist/main.js\` of the clone with \`node\`, so that they work in a clone in which \`npm ci\` has been run, and not yet by the address of a repository: \`dist\` is not kept in it.`;

const document = new URL('../../../docs/hosts.md', import.meta.url);

/** How a host that has put a copy of this repository into `directory` starts the program. */
const fromClone = (directory: string): ServerCommand =>
  IS_PUBLISHED
    ? { command: 'npx', args: ['-y', `${packageName}@${version}`, 'serve'] }
    : { command: 'node', args: [`${directory}/dist/main.js`, 'serve'] };

const authors = { name: 'The budget-mcp authors' };

const json = (value: JsonObject) => `${JSON.stringify(value, null, 2)}\n`;

/** Each file, from the top of the repository, with the text that it should have. */
export const hostFiles = (): Readonly<Record<string, string>> => ({
  'docs/hosts.md': Object.entries({
    today,
    plugins,
    hosts: hosts.map(sectionOf).join('\n\n'),
  }).reduce((text, [name, made]) => withPart(text, name, made), readFileSync(document, 'utf8')),
  'gemini-extension.json': json({
    name: packageName,
    version,
    description,
    mcpServers: { budget: fromClone('$' + '{extensionPath}') },
  }),
  '.claude-plugin/plugin.json': json({
    name: packageName,
    version,
    description,
    author: authors,
    license,
    keywords,
    mcpServers: { budget: fromClone('$' + '{CLAUDE_PLUGIN_ROOT}') },
  }),
  '.claude-plugin/marketplace.json': json({
    name: packageName,
    owner: authors,
    metadata: { description, version },
    plugins: [{ name: packageName, source: './', description, version, license, keywords }],
  }),
});

export const fileAt = (path: string) => new URL(`../../../${path}`, import.meta.url);

if (process.argv[2] === '--write')
  for (const [path, text] of Object.entries(hostFiles())) writeFileSync(fileAt(path), text);
