/**
 * Generates `manifest.json`, with which a host installs the bundle, from the settings and from the lists of the server.
 * `npm run generate` writes it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { z } from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { compose } from '../../src/compose.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { infoOf, settingNames, shape } from '../../src/config/settings.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';

/**
 * The package is described once, in `package.json`. Addresses that only the owner knows are added there for a release;
 * the manifest then contains them too.
 */
const ownPackage = z
  .object({
    name: z.string(),
    version: z.string(),
    description: z.string(),
    license: z.string(),
    engines: z.object({ node: z.string() }),
    keywords: z.array(z.string()),
    author: z.object({ name: z.string(), email: z.string().optional(), url: z.url().optional() }).optional(),
    repository: z.object({ type: z.string(), url: z.string() }).optional(),
    homepage: z.url().optional(),
  })
  .parse(packageJson);

const file = new URL('../../manifest.json', import.meta.url);

/** The form fields at installation. The host passes their values in environment variables. */
const fields = settingNames.flatMap((name) => {
  const { form, help, isSecret, variable } = infoOf(name);
  if (!form) return [];
  const isFlag = shape[name].safeParse(undefined).data === false;
  const described =
    form.note && isSecret ? form.note : `${sentence(help)}.${form.note ? ` ${form.note}` : ''}`;
  return [
    {
      key: name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      variable,
      entry: {
        type: isFlag ? 'boolean' : 'string',
        title: form.title,
        description: described.replaceAll('`', ''),
        required: false,
        ...(isSecret && { sensitive: true }),
        ...(isFlag && { default: false }),
      },
    },
  ];
});

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export async function manifest(): Promise<string> {
  const { name, version, description, license, engines, keywords, ...owner } = ownPackage;
  const { tools, prompts } = await serverLists();
  const generated = {
    manifest_version: '0.3',
    name,
    display_name: 'Budget',
    version,
    description,
    author: { name: 'The budget-mcp authors' },
    ...owner,
    license,
    keywords,
    icon: 'icon.png',
    server: {
      type: 'node',
      entry_point: 'dist/main.js',
      mcp_config: {
        command: 'node',
        args: [`$\{__dirname}/dist/main.js`, 'serve'],
        env: Object.fromEntries(fields.map(({ key, variable }) => [variable, `$\{user_config.${key}}`])),
      },
    },
    user_config: Object.fromEntries(fields.map(({ key, entry }) => [key, entry])),
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
