/**
 * What an operation of the service is. One entry holds everything about one operation; tools, resources, requests,
 * documentation and the contract test are derived from it. This room is data: it knows no HTTP client, no MCP, no
 * currency format.
 */
import { z } from 'zod';
import type { Booking, Chart } from '../bookkeeping/entries.ts';
import type { Moment } from '../platform/clock.ts';
import type { BudgetReplica } from '../replica/budget-replica.ts';
import type { BudgetSummary } from '../schema/budget.ts';
import type { Immutable } from '../schema/immutable.ts';
import type { User } from '../schema/user.ts';

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
type Route = `${Method} /${string}`;
type PathParameter<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameter<Rest>
  : never;

export type OperationKind = 'read' | 'create' | 'update' | 'delete';

export interface Rows {
  /** The property of `data` that is the list. */
  readonly key: string;
  /**
   * Transactions are shown newest first, scheduled ones by their next date; other lists keep the order of the service,
   * which is the user's.
   */
  readonly order: 'newest first' | 'soonest first' | 'as sent';
}

/** What an operation of this output gives, as its schema parsed it. */
export type DataOf<Output extends z.ZodRawShape> = z.output<z.ZodObject<Output>>;

export interface AskOptions {
  /** What it is about, where that is something else than what the write is about. */
  readonly about?: Readonly<Record<string, unknown>>;
  /** All of a list. */
  readonly isWhole?: boolean;
}

/** Asks a list for what has changed since just before a write, or a single resource for what it is now. */
export type ReadDelta = <Output extends z.ZodRawShape>(
  operation: Operation<z.ZodRawShape, Output>,
  options?: AskOptions,
) => Promise<z.output<z.ZodObject<Output>>>;

/** What the budget had just before a write: ids, of whatever its operation wants to compare with later. */
export interface Before {
  readonly ids: ReadonlySet<string>;
  /** The one that they are from, where the answer told it. */
  readonly server_knowledge?: number | undefined;
}

/** Asks what the budget shows now, about what the write is about, or `about` something else. */
export type ReadCurrent = <Output extends z.ZodRawShape>(
  operation: Operation<z.ZodRawShape, Output>,
  about?: Readonly<Record<string, unknown>>,
) => Promise<Immutable<DataOf<Output>>>;

/** What a sign-in keeps besides budgets, with the moment when it was asked for. */
export interface SessionReads {
  user(): Promise<{ readonly asOf: Moment; readonly data: { readonly user: User } }>;
  budgets(): Promise<{
    readonly asOf: Moment;
    readonly data: {
      readonly budgets: readonly BudgetSummary[];
      readonly default_budget: BudgetSummary | null;
    };
  }>;
}

type SessionRead<Data> = Promise<{ readonly asOf: Moment; readonly data: Immutable<Data> }> | undefined;

/** A value of an argument, and what a person knows it by. */
export interface Candidate {
  readonly id: string;
  readonly label: string;
}

/** What a write would be about and would do. What is left out is nothing. */
export interface SimulationInput<Data = Readonly<Record<string, unknown>>> {
  /** What it is about as it stands now: the transaction to be deleted, say. */
  readonly current?: Immutable<Partial<Data>>;
  /** What it would add to balances; what it takes away is negative. */
  readonly postings?: readonly Booking[];
  /** True where the service may decide in several ways: the balances that `bookings` touch are then not foreseen. */
  readonly isUncertain?: boolean;
  /** As it is in the month that the write is about. */
  readonly category?: { readonly id: string; readonly name: string; readonly balance: number };
  /** Why the service would refuse it. */
  readonly problems?: readonly string[];
}

/** Stands in an example for an id, which differs from budget to budget. */
export const EXAMPLE_ID = '…';

/** The day on which the examples are given: whoever tries one later moves its dates by as much. */
export const EXAMPLE_DATE = '2026-11-21';

interface OperationEntry<Path extends Route, Input extends z.ZodRawShape, Output extends z.ZodRawShape> {
  /** The name of the tool. */
  readonly name: string;
  /** What a person sees. */
  readonly title: string;
  /** What a model reads: what it gives and when to use it. */
  readonly description: string;
  /** Method and path, relative to the base URL. What the input holds beyond the path is the query, or the body. */
  readonly route: Path;
  readonly kind: OperationKind;
  /** Parameters by their names in the service's interface; a path parameter that it lacks does not compile. */
  readonly input: Input & Record<PathParameter<Path>, z.ZodType>;
  /** The shape of the response's `data`. Amounts are `milliunits`. */
  readonly output: Output;
  /**
   * For a read of a budget: the same `data` from what is held of the budget, with no request. Throws
   * `resource_not_found` where the service would.
   */
  readonly readLocally?: (
    replica: BudgetReplica,
    input: z.output<z.ZodObject<Input>>,
  ) => Immutable<z.output<z.ZodObject<Output>>>;
  /** For a read that is about no budget: the same `data` from what the sign-in keeps; undefined where it is not kept. */
  readonly readFromSession?: (
    session: SessionReads,
    input: z.output<z.ZodObject<Input>>,
  ) => SessionRead<z.output<z.ZodObject<Output>>>;
  /** For a read whose answer never changes. */
  readonly isConstant?: boolean;
  /** For a list: the argument of other operations that its rows are values of. */
  readonly completes?: {
    readonly argument: string;
    readonly candidates: (data: Immutable<z.output<z.ZodObject<Output>>>) => readonly Candidate[];
  };
  /** For a write of several rows: the argument that lists them, and the property of `data` that lists what came of them. */
  readonly batch?: keyof Input & string;
  /** For a write: the JSON body, made of what the input holds beyond the path. */
  readonly body?: (fields: Omit<z.output<z.ZodObject<Input>>, PathParameter<Path>>) => unknown;
  /** For a write: what is wrong with input that its schema lets pass, seen on the date `today` (UTC). */
  readonly check?: (input: z.output<z.ZodObject<Input>>, today: string) => string[];
  /** For a write that cannot be looked for later without it: what is to be read just before it is sent. */
  readonly before?: (ask: ReadDelta, input: z.output<z.ZodObject<Input>>) => Promise<Before>;
  /**
   * For a write whose answer was lost: that answer, from what the budget shows now; undefined where the write has not
   * happened. `before` holds the ids that `before` has read.
   */
  readonly recover?: (
    ask: ReadDelta,
    input: z.output<z.ZodObject<Input>>,
    before: ReadonlySet<string>,
  ) => Promise<z.output<z.ZodObject<Output>> | undefined>;
  /**
   * For a write that is refused when it is delivered a second time, which may happen on the way. The first delivery has
   * done it then, and nobody sees its answer.
   */
  readonly refusedAgain?: {
    readonly code: 'conflict' | 'resource_not_found';
    /** Whether the refusal is known to have been true before the write: then nothing of it was carried out. */
    readonly wasSoBefore: (
      ask: ReadDelta,
      input: z.output<z.ZodObject<Input>>,
      before: ReadonlySet<string>,
    ) => Promise<boolean>;
  };
  /**
   * For a write whose second delivery is answered as if there had been nothing left to do: whether that is the answer,
   * so that the budget is asked what has come in.
   */
  readonly answeredAgain?: (data: z.output<z.ZodObject<Output>>) => boolean;
  /**
   * For a write: what it would do, from what the budget shows now. Throws `resource_not_found` where what it is about is
   * not there.
   */
  readonly simulate?: (
    look: ReadCurrent,
    input: z.output<z.ZodObject<Input>>,
    chart: Chart,
  ) => Promise<SimulationInput<DataOf<Output>>>;
  /** Where the answer is a list. */
  readonly rows?: Rows & { readonly key: keyof Output };
  /** Where the answer is an export: the property of `data` whose arrays are given only on request. */
  readonly collections?: keyof Output & string;
  /** Arguments as a model would give them on `EXAMPLE_DAY`; the contract test calls the embedded service with them. */
  readonly example: { readonly [Name in keyof Input]?: Example };
}

type Example = string | number | boolean | readonly Readonly<Record<string, string | number>>[];

export interface Operation<
  Input extends z.ZodRawShape = z.ZodRawShape,
  Output extends z.ZodRawShape = z.ZodRawShape,
> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly route: Route;
  readonly kind: OperationKind;
  readonly input: z.ZodObject<Input, z.core.$strict>;
  readonly output: z.ZodObject<Output>;
  // Methods, so that an operation of particular input is still an operation.
  readLocally?(
    replica: BudgetReplica,
    input: z.output<z.ZodObject<Input>>,
  ): Immutable<z.output<z.ZodObject<Output>>>;
  readFromSession?(
    session: SessionReads,
    input: z.output<z.ZodObject<Input>>,
  ): SessionRead<z.output<z.ZodObject<Output>>>;
  readonly isConstant?: boolean;
  readonly completes?: {
    readonly argument: string;
    candidates(data: Immutable<z.output<z.ZodObject<Output>>>): readonly Candidate[];
  };
  readonly batch?: string;
  body?(fields: Readonly<Record<string, unknown>>): unknown;
  check?(input: z.output<z.ZodObject<Input>>, today: string): string[];
  before?(ask: ReadDelta, input: z.output<z.ZodObject<Input>>): Promise<Before>;
  recover?(
    ask: ReadDelta,
    input: z.output<z.ZodObject<Input>>,
    before: ReadonlySet<string>,
  ): Promise<z.output<z.ZodObject<Output>> | undefined>;
  readonly refusedAgain?: {
    readonly code: 'conflict' | 'resource_not_found';
    wasSoBefore(
      ask: ReadDelta,
      input: z.output<z.ZodObject<Input>>,
      before: ReadonlySet<string>,
    ): Promise<boolean>;
  };
  answeredAgain?(data: z.output<z.ZodObject<Output>>): boolean;
  simulate?(
    look: ReadCurrent,
    input: z.output<z.ZodObject<Input>>,
    chart: Chart,
  ): Promise<SimulationInput<DataOf<Output>>>;
  readonly rows?: Rows;
  readonly collections?: string;
  readonly example: { readonly [argument: string]: Example | undefined };
}

export function operation<
  const Path extends Route,
  Input extends z.ZodRawShape,
  Output extends z.ZodRawShape,
>(entry: OperationEntry<Path, Input, Output>): Operation<Input, Output> {
  return { ...entry, input: z.strictObject<Input>(entry.input), output: z.object(entry.output) };
}

/** A row by its name. */
export const named = ({ id, name }: { readonly id: string; readonly name: string }): Candidate => ({
  id,
  label: name,
});

/** The input of a read about the same things: of what `input` says, whatever stands in the read's path. */
export function inputFor<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
  read: Operation<Input, Output>,
  input: Readonly<Record<string, unknown>>,
): z.output<z.ZodObject<Input>> {
  const where = Object.entries(input).filter(([name]) => read.route.includes(`{${name}}`));
  return read.input.parse(Object.fromEntries(where));
}
