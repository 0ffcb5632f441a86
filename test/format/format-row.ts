import { rowFormats } from '../../src/format/rows.ts';
import { TextContext } from '../../src/format/text.ts';
import { moneyFormatter } from '../../src/format/units.ts';
import { dollars } from './samples.ts';

export const inDollars = () => new TextContext(moneyFormatter(dollars));

export function lineOf(kind: string, value: unknown, prose = inDollars()): string {
  const line = rowFormats[kind];
  if (!line) throw new Error(`There is no line for ${kind}.`);
  return line(value, prose);
}

export const rows = (...text: string[]) => text.join('\n');
