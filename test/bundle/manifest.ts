/**
 * Generates `manifest.json`, with which a host installs the bundle, from the settings and from the lists of the server.
 * `npm run generate` writes it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { formFields } from '../../.ci/form-fields.ts';
import { ownerOf } from '../../.ci/owner.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { compose } from '../../src/app/compose/compose.ts';
import { loadConfig } from '../../src/app/config/load-config.ts';
import { systemClock } from '../../src/base/clock.ts';
import { createLog } from '../../src/base/log.ts';

const { name, version, description, license, engines, keywords } = packageJson;

const file = new URL('../../manifest.json', import.meta.url);

/** In the repository and in the bundle. */
const icon = 'src/mcp/icon.png';

export async function manifest(): Promise<string> {
  // Without an owner the manifest has no addresses.
  const owner = ownerOf(packageJson);
  const { tools, prompts } = await serverLists();
  const generated = {
    manifest_version: '0.3',
    name,
    display_name: 'Budget',
    version,
    description,
    author: owner?.author ?? { name: 'The budget-mcp authors' },
    ...(owner && {
      repository: { type: 'git', url: owner.repository },
      homepage: owner.homepage,
      documentation: owner.homepage,
      support: owner.support,
      privacy_policies: [owner.privacyPolicy],
    }),
    license,
    keywords,
    icon,
    icons: [{ src: icon, size: '512x512' }],
    server: {
      type: 'node',
      entry_point: 'dist/main.js',
      mcp_config: {
        command: 'node',
        args: [`$\{__dirname}/dist/main.js`, 'serve'],
        env: Object.fromEntries(formFields.map(({ key, variable }) => [variable, `$\{user_config.${key}}`])),
      },
    },
    user_config: Object.fromEntries(
      formFields.map(({ key, title, description, isSecret, isFlag }) => [
        key,
        {
          type: isFlag ? 'boolean' : 'string',
          title,
          description,
          required: false,
          ...(isSecret && { sensitive: true }),
          ...(isFlag && { default: false }),
        },
      ]),
    ),
    compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node: engines.node } },
    tools,
    prompts,
  };
  return `${JSON.stringify(generated, null, 2)}\n`;
}

/** The tools and prompts that the server lists. */
async function serverLists() {
  const environment = { clock: systemClock, log: createLog('silent'), program: new URL('dist/', file) };
  const app = await compose(loadConfig({}, {}), environment);
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
