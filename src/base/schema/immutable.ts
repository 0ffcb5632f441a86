/** The type of data that several answers share, so that no code may change it. */
import type { z } from 'zod';

export type Immutable<T> = { readonly [Key in keyof T]: Immutable<T[Key]> };

export type ImmutableOf<Schema extends z.ZodType> = Immutable<z.output<Schema>>;
