/** Adds the month that the amounts of categories belong to. The service's response does not contain it. */
import type { z } from 'zod';
import type { JsonObject } from '../platform/json.ts';
import { text } from '../schema/fields.ts';

const hasCategoryAmounts = ({ shape }: z.ZodObject) => 'category' in shape || 'category_groups' in shape;

/** The field `month`, if the output has amounts of categories. */
export const monthField = (output: z.ZodObject) =>
  hasCategoryAmounts(output) ? { month: text.optional() } : {};

/** The first day of the requested month. The default is the month of `today`, a UTC date such as `2026-11-21`. */
export function monthOf(
  output: z.ZodObject,
  { month }: JsonObject,
  today: string,
): { readonly month?: string } {
  if (!hasCategoryAmounts(output)) return {};
  return { month: typeof month === 'string' && month !== 'current' ? month : `${today.slice(0, 7)}-01` };
}
