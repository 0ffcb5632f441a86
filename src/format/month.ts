/** The month that the amounts of categories belong to, which the service's answer does not say. */
import type { z } from 'zod';
import { text } from '../schema/fields.ts';

type Fields = Readonly<Record<string, unknown>>;

const hasCategoryAmounts = ({ shape }: z.ZodObject) => 'category' in shape || 'category_groups' in shape;

/** `month`, for an answer of this shape that has amounts of categories. */
export const monthField = (output: z.ZodObject) =>
  hasCategoryAmounts(output) ? { month: text.optional() } : {};

/** The first day of the month that was asked for, or of the one of `today` (UTC), as `2026-11-21`. */
export function monthOf(output: z.ZodObject, { month }: Fields, today: string): { readonly month?: string } {
  if (!hasCategoryAmounts(output)) return {};
  return { month: typeof month === 'string' && month !== 'current' ? month : `${today.slice(0, 7)}-01` };
}
