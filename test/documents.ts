/** The tables of the documents that are made from the code and recordings: tools, prompts, settings, results. `npm run generate` writes them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import type { Tool } from '../src/answers/tool.ts';
import { helpOf, infoOf, settingNames } from '../src/app/config/settings.ts';
import { catalogue } from '../src/features/catalogue.ts';
import { type Prompt, prompts } from '../src/mcp/prompt-texts.ts';
import { schemasOf } from '../src/mcp/tool-schemas.ts';
import { readRuns } from './evaluation/recording.ts';
import { reportTable, summaryTable } from './evaluation/report.ts';
import { withPart } from './generated-part.helper.ts';

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

const settingTable = (table: ReturnType<typeof infoOf>['table']) =>
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

type Parts = Readonly<Record<string, () => string>>;

/** The generated parts of each document, by its path in the repository. */
const partsOf: Readonly<Record<string, Parts>> = {
  'README.md': { evaluation: () => summaryTable(readRuns()) },
  'docs/evaluation.md': { results: () => reportTable(readRuns()) },
  'docs/settings.md': {
    settings: () => settingTable('server'),
    'http settings': () => settingTable('http'),
  },
  'docs/tools.md': { tools: () => toolTables(), prompts: promptTable },
  'docs/hosting.md': { 'hosted settings': () => settingTable('hosted') },
};

const withParts = (text: string, made: Parts) =>
  Object.entries(made).reduce((changed, [name, make]) => withPart(changed, name, make()), text);

const fileOf = (path: string) => new URL(`../${path}`, import.meta.url);

/** The text of a document, by its path in the repository. */
export const readDocument = (path: string) => readFileSync(fileOf(path), 'utf8');

/** Each document with generated tables: its text now, and as it has to be. */
export const documents = () =>
  Object.entries(partsOf).map(([path, made]) => {
    const text = readDocument(path);
    return { path, text, generated: withParts(text, made) };
  });

if (process.argv[2] === '--write')
  for (const { path, generated } of documents()) writeFileSync(fileOf(path), generated);
