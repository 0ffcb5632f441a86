import { rowFormats } from '../../src/format/rows.ts';
import { TextContext } from '../../src/format/text.ts';
import { moneyFormatter } from '../../src/format/units.ts';
import { dollars } from './samples.ts';

export const dollarContext = () => new TextContext(moneyFormatter(dollars));

export function lineOf(kind: string, value: unknown, context = dollarContext()): string {
  const format = rowFormats[kind];
  if (!format) throw new Error(`There is no line for ${kind}.`);
  return format(value, context);
}

export const joinRows = (...text: string[]) => text.join('\n');
