/**
 * What an operation of the service is. One entry holds everything about one operation; tools, resources, requests,
 * documentation and the contract test are derived from it. This room is data: it knows no HTTP client, no MCP, no
 * currency format.
 */
import { z } from 'zod';

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
type Route = `${Method} /${string}`;
type PathParameter<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameter<Rest>
  : never;

export type Effect = 'read' | 'create' | 'update' | 'delete';

export interface Rows {
  /** The property of `data` that is the list. */
  readonly key: string;
  /** Lists of transactions are shown newest first; others keep the order of the service, which is the user's. */
  readonly order: 'newest first' | 'as sent';
}

/** Stands in an example for an id, which differs from budget to budget. */
export const SOME_ID = '…';

interface Entry<Path extends Route, Input extends z.ZodRawShape, Output extends z.ZodRawShape> {
  /** The name of the tool. */
  readonly name: string;
  /** What a person sees. */
  readonly title: string;
  /** What a model reads: what it gives and when to use it. */
  readonly description: string;
  /** Method and path, relative to the base URL. What the input holds beyond the path is the query. */
  readonly route: Path;
  readonly effect: Effect;
  /** Parameters by their names in the service's interface; a path parameter that it lacks does not compile. */
  readonly input: Input & Record<PathParameter<Path>, z.ZodType>;
  /** The shape of the response's `data`. Amounts are `milliunits`. */
  readonly output: Output;
  /** Where the answer is a list. */
  readonly rows?: Rows & { readonly key: keyof Output };
  /** Where the answer is an export: the property of `data` whose arrays are given only on request. */
  readonly collections?: keyof Output & string;
  /** Arguments as a model would give them; the contract test calls the embedded service with them. */
  readonly example: { readonly [Name in keyof Input]?: string | boolean };
}

export interface Operation<
  Input extends z.ZodRawShape = z.ZodRawShape,
  Output extends z.ZodRawShape = z.ZodRawShape,
> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly route: Route;
  readonly effect: Effect;
  readonly input: z.ZodObject<Input, z.core.$strict>;
  readonly output: z.ZodObject<Output>;
  readonly rows?: Rows;
  readonly collections?: string;
  readonly example: { readonly [argument: string]: string | boolean | undefined };
}

export function operation<
  const Path extends Route,
  Input extends z.ZodRawShape,
  Output extends z.ZodRawShape,
>(entry: Entry<Path, Input, Output>): Operation<Input, Output> {
  return { ...entry, input: z.strictObject<Input>(entry.input), output: z.object(entry.output) };
}
