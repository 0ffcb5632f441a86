/** A part of a response that cannot be read. A reading goes on without it, and its answers say what they lack. */
import { z } from 'zod';
import { flag, text } from './fields.ts';

export const gap = z.object({
  /** The kind of thing that it is, such as `transaction`. */
  kind: text,
  /** Null if the id cannot be read either, and for a list that is missing as a whole. */
  id: text.nullable(),
  /** The id of the thing that it is in: the month of a category, the transaction of a leg, or the group of a category. */
  of: text.nullable(),
  /** By which a person recognises it. */
  name: text.nullable(),
  date: text.nullable(),
  /** The values that stand for fields that cannot be read. Empty for a list that is missing. */
  fields: z.record(text, z.union([z.string(), z.number(), z.boolean(), z.null()])),
  /** True if the whole thing or list was left out, because too little of it can be read. */
  left_out: flag,
});

export type Gap = z.output<typeof gap>;

/** A list that the service did not send. Its rows may all be there. */
export const isMissingList = ({ left_out, fields }: Gap): boolean =>
  left_out && Object.keys(fields).length === 0;

const withGaps = z.object({ gaps: z.array(gap).optional() });

/** Those of a response, which has them beside its data. */
export const gapsOf = (data: object): readonly Gap[] =>
  'gaps' in data ? (withGaps.parse(data).gaps ?? []) : [];
