/** What README.md says about the tools, made from the operations table. `npm run generate` writes it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { surfaceOf } from '../src/mcp/surface.ts';
import { toolsets } from '../src/operations/index.ts';
import type { Operation } from '../src/operations/operation.ts';

const readme = new URL('../README.md', import.meta.url);
const [START, END] = ['<!-- tools: made by `npm run generate` -->', '<!-- /tools -->'];

function toolRow(operation: Operation): string {
  const { name, description, example } = operation;
  const optional = Object.entries(surfaceOf(operation).input.shape).map(([argument, schema]) =>
    schema.safeParse(undefined).success ? `${argument}?` : argument,
  );
  const call = Object.keys(example).length > 0 ? `<br>\`${JSON.stringify(example)}\`` : '';
  return `| \`${name}\` | ${description}${call} | ${optional.map((argument) => `\`${argument}\``).join(' ')} |`;
}

export function withTools(text: string): string {
  const [before] = text.split(START);
  const [, after] = text.split(END);
  const sections = Object.entries(toolsets).map(([toolset, operations]) =>
    [
      `#### ${toolset.replaceAll('_', ' ')}`,
      '',
      '| tool | what it gives | arguments |',
      '| --- | --- | --- |',
      ...operations.map(toolRow),
    ].join('\n'),
  );
  return `${before}${START}\n\n${sections.join('\n\n')}\n\n${END}${after}`;
}

export const readReadme = () => readFileSync(readme, 'utf8');

if (process.argv[2] === '--write') writeFileSync(readme, withTools(readReadme()));
