import { lines } from '../../src/mcp/lines.ts';
import { Prose } from '../../src/mcp/prose.ts';
import { moneyIn } from '../../src/mcp/units.ts';
import { dollars } from './samples.ts';

export const inDollars = () => new Prose(moneyIn(dollars));

export function lineOf(kind: string, value: unknown, prose = inDollars()): string {
  const line = lines[kind];
  if (!line) throw new Error(`There is no line for ${kind}.`);
  return line(value, prose);
}

export const rows = (...text: string[]) => text.join('\n');
