/** What README.md says about tools, prompts and settings, made from their tables. `npm run generate` writes it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { helpOf, infoOf, type SettingInfo, settingNames } from '../src/config/settings.ts';
import { hosts } from '../src/hosts/host-table.ts';
import { type Prompt, prompts } from '../src/mcp/prompt-texts.ts';
import { schemasOf } from '../src/mcp/tool-schemas.ts';
import { catalogue } from '../src/tools/catalogue.ts';
import type { Tool } from '../src/tools/tool.ts';
import { withPart } from './generated-part.helper.ts';

const readme = new URL('../README.md', import.meta.url);

function toolRow(tool: Tool): string {
  const { name, description, example } = tool;
  const optional = Object.entries(schemasOf(tool).input.shape).map(([argument, schema]) =>
    z.safeParse(schema, undefined).success ? `${argument}?` : argument,
  );
  const call = Object.keys(example).length > 0 ? `<br>\`${JSON.stringify(example)}\`` : '';
  return `| \`${name}\` | ${description}${call} | ${optional.map((argument) => `\`${argument}\``).join(' ')} |`;
}

const ALWAYS_OFFERED = 'always offered';

/** One table for each toolset, and one for the tools that belong to none. */
export function toolTables(tools: readonly Tool[] = catalogue): string {
  const toolsetOf = ({ toolset }: Tool): string => toolset ?? ALWAYS_OFFERED;
  return [...new Set(tools.map(toolsetOf))]
    .map((toolset) =>
      [
        `#### ${toolset.replaceAll('_', ' ')}`,
        '',
        '| tool | what it gives | arguments |',
        '| --- | --- | --- |',
        ...tools.filter((tool) => toolsetOf(tool) === toolset).map(toolRow),
      ].join('\n'),
    )
    .join('\n\n');
}

function promptRow(prompt: Prompt): string {
  const args = Object.entries(prompt.arguments).map(([name, { isRequired }]) =>
    isRequired ? name : `${name}?`,
  );
  return `| \`${prompt.name}\` | ${prompt.description} | ${args.map((name) => `\`${name}\``).join(' ')} |`;
}

const promptTable = () =>
  ['| prompt | what it is for | arguments |', '| --- | --- | --- |', ...prompts.map(promptRow)].join('\n');

const settingTable = (table: SettingInfo['table']) =>
  [
    '| setting | variable | what it is for |',
    '| --- | --- | --- |',
    ...settingNames
      .filter((name) => infoOf(name).table === table)
      .map((name) => {
        const { flag, variable } = infoOf(name);
        return `| ${flag ? `\`${flag.split(' ')[0]}\`` : ''} | \`${variable}\` | ${helpOf(name)} |`;
      }),
  ].join('\n');

/** The files on Linux; the command shows those of other systems. */
const hostTable = () =>
  [
    '| host | command | file, on Linux |',
    '| --- | --- | --- |',
    ...hosts.map(({ id, name, files }) => {
      const paths = files({ platform: 'linux', home: '~', env: {} }).map((file) => `\`${file}\``);
      return `| ${name} | \`budget-mcp install ${id}\` | ${paths.join(' or ')} |`;
    }),
  ].join('\n');

const parts: Readonly<Record<string, () => string>> = {
  hosts: hostTable,
  'http settings': () => settingTable('http'),
  settings: () => settingTable('server'),
  tools: () => toolTables(),
  prompts: promptTable,
};

const hostingParts: Readonly<Record<string, () => string>> = {
  'hosted settings': () => settingTable('hosted'),
};

const withParts = (text: string, made: Readonly<Record<string, () => string>>) =>
  Object.entries(made).reduce((changed, [name, make]) => withPart(changed, name, make()), text);

export const readReadme = () => readFileSync(readme, 'utf8');

const hosting = new URL('../docs/hosting.md', import.meta.url);

/** Each document with generated tables: its text now, and as it has to be. */
export const documents = () =>
  [
    { file: readme, parts },
    { file: hosting, parts: hostingParts },
  ].map(({ file, parts: made }) => {
    const text = readFileSync(file, 'utf8');
    return { file, text, generated: withParts(text, made) };
  });

if (process.argv[2] === '--write')
  for (const { file, generated } of documents()) writeFileSync(file, generated);
