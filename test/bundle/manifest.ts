/**
 * `manifest.json`, by which a host installs the bundle with one click: made from the settings, and from what the server
 * itself lists. `npm run generate` writes it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import packageJson from '../../package.json' with { type: 'json' };
import { systemClock } from '../../src/clock.ts';
import { compose } from '../../src/compose.ts';
import { loadConfig } from '../../src/config.ts';
import { createLog } from '../../src/log.ts';
import { settings } from '../../src/settings.ts';

const file = new URL('../../manifest.json', import.meta.url);

/** What a person is asked for at installation; the host hands it over in the environment. */
const asked = {
  token: {
    type: 'string',
    title: 'Access token',
    description: 'A personal access token, from the developer settings of your budgeting service.',
    sensitive: true,
  },
  service: {
    type: 'string',
    title: 'Service',
    description: `${settings.service.help}. Leave it empty if you give a base URL.`,
  },
  baseUrl: {
    type: 'string',
    title: 'Base URL',
    description: `For any other service: ${settings.baseUrl.help}.`,
  },
  budget: {
    type: 'string',
    title: 'Default budget',
    description: `${settings.budget.help}.`,
  },
  readOnly: {
    type: 'boolean',
    title: 'Read only',
    description: `${settings.readOnly.help}.`,
    default: false,
  },
  demo: {
    type: 'boolean',
    title: 'Demo',
    description: `${settings.demo.help}. Leave token, service and base URL empty.`,
    default: false,
  },
} as const;

const keyOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

export async function manifest(): Promise<string> {
  const { name, version, description, license, engines } = packageJson;
  const { tools, prompts } = await listed();
  const fields = Object.entries(asked);
  const made = {
    manifest_version: '0.3',
    name,
    display_name: 'Budget',
    version,
    description,
    author: { name: 'The budget-mcp authors' },
    license,
    keywords: ['budget', 'finance', 'accounts', 'transactions'],
    icon: 'icon.png',
    server: {
      type: 'node',
      entry_point: 'dist/main.js',
      mcp_config: {
        command: 'node',
        args: [`$\{__dirname}/dist/main.js`, 'serve'],
        env: Object.fromEntries(fields.map(([name]) => [variableOf(name), `$\{user_config.${keyOf(name)}}`])),
      },
    },
    user_config: Object.fromEntries(
      fields.map(([name, field]) => [
        keyOf(name),
        { ...field, description: sentence(field.description), required: false },
      ]),
    ),
    compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node: engines.node } },
    tools,
    prompts,
  };
  return `${JSON.stringify(made, null, 2)}\n`;
}

function variableOf(name: string): string {
  const found = Object.entries(settings).find(([each]) => each === name);
  if (!found) throw new Error(`There is no setting ${name}.`);
  return found[1].variable;
}

/** What hosts are shown, told by the server itself. */
async function listed() {
  const surroundings = { clock: systemClock, log: createLog('silent'), program: new URL('dist/', file) };
  const app = await compose(loadConfig({}, {}), surroundings);
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'manifest', version: '0' });
  await app.createServer().connect(far);
  await client.connect(near);
  const { tools } = await client.listTools();
  const { prompts } = await client.listPrompts();
  const described = await Promise.all(
    prompts.map(async ({ name, description, arguments: args = [] }) => {
      const names = args.map((each) => each.name);
      const placeholders = Object.fromEntries(names.map((each) => [each, `$\{arguments.${each}}`]));
      const { messages } = await client.getPrompt({ name, arguments: placeholders });
      const text = messages.map(({ content }) => (content.type === 'text' ? content.text : '')).join('\n');
      return { name, description, arguments: names, text };
    }),
  );
  await client.close();
  await app.close();
  return { tools: tools.map(({ name, description }) => ({ name, description })), prompts: described };
}

export const readManifest = () => readFileSync(file, 'utf8');

if (process.argv[2] === '--write') writeFileSync(file, await manifest());
