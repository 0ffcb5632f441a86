/**
 * The definition of an operation of the service. One entry contains everything about one operation. Tools,
 * resources, requests, documentation and the contract test are derived from it. This folder is data and does not
 * depend on the HTTP client, MCP or currency formats.
 */
import { z } from 'zod';
import type { ChartOfAccounts, Posting } from '../bookkeeping/entries.ts';
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
  /** The property of `data` that contains the list. */
  readonly key: string;
  /**
   * Transactions are sorted newest first, scheduled ones by their next date. Other lists keep the order of the
   * service, which is the user's.
   */
  readonly order: 'newest first' | 'soonest first' | 'as sent';
}

/** The parsed `data` of an operation with this output. */
export type DataOf<Output extends z.ZodRawShape> = z.output<z.ZodObject<Output>>;

export interface AskOptions {
  /** Path parameters, if they differ from those of the write. */
  readonly about?: Readonly<Record<string, unknown>>;
  /** Requests the whole list instead of a delta. */
  readonly isWhole?: boolean;
}

/** Reads the changes of a list since just before the write, or a single resource. */
export type ReadDelta = <Output extends z.ZodRawShape>(
  operation: Operation<z.ZodRawShape, Output>,
  options?: AskOptions,
) => Promise<z.output<z.ZodObject<Output>>>;

/** The state of the budget just before a write: ids that the operation compares later. */
export interface Before {
  readonly ids: ReadonlySet<string>;
  /** The knowledge of that state, if the response contained it. */
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
  budgets(signal?: AbortSignal): Promise<{
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
  /** The current state of the entities that the write refers to, such as the transaction to delete. */
  readonly current?: Immutable<Partial<Data>>;
  /** The amounts that it would add to balances. Removed amounts are negative. */
  readonly postings?: readonly Posting[];
  /** True if the service may decide in several ways. The balances in `postings` are then not predicted. */
  readonly isUncertain?: boolean;
  /** The category in the month of the write. */
  readonly category?: { readonly id: string; readonly name: string; readonly balance: number };
  /** The reasons for which the service would refuse the write. */
  readonly problems?: readonly string[];
}

/** A placeholder for an id in an example, because ids differ between budgets. */
export const EXAMPLE_ID = '…';

/** The date of the examples. To run one on a later day, move its dates by the difference. */
export const EXAMPLE_DATE = '2026-11-21';

interface OperationEntry<Path extends Route, Input extends z.ZodRawShape, Output extends z.ZodRawShape> {
  /** The name of the tool. */
  readonly name: string;
  /** The title for users. */
  readonly title: string;
  /** The description for a model: what it returns and when to use it. */
  readonly description: string;
  /** Method and path, relative to the base URL. Input that is not in the path becomes the query or the body. */
  readonly route: Path;
  readonly kind: OperationKind;
  /** Parameters by their names in the interface. A missing path parameter is a compile error. */
  readonly input: Input & Record<PathParameter<Path>, z.ZodType>;
  /** The schema of the response's `data`. Amounts are `milliunits`. */
  readonly output: Output;
  /**
   * For a read of a budget: returns the same `data` from a replica without a request. Throws `resource_not_found` as
   * the service would.
   */
  readonly readLocally?: (
    replica: BudgetReplica,
    input: z.output<z.ZodObject<Input>>,
  ) => Immutable<z.output<z.ZodObject<Output>>>;
  /** For a read that is about no budget: the same `data` from what the sign-in keeps; undefined where it is not kept. */
  readonly readFromSession?: (
    session: SessionReads,
    input: z.output<z.ZodObject<Input>>,
    signal?: AbortSignal,
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
  /** For a write: problems that the schema cannot express, checked on the date `today` (UTC). */
  readonly check?: (input: z.output<z.ZodObject<Input>>, today: string) => string[];
  /** For a write that cannot be recovered without it: reads the state just before the write is sent. */
  readonly before?: (readDelta: ReadDelta, input: z.output<z.ZodObject<Input>>) => Promise<Before>;
  /**
   * For a write whose response was lost: rebuilds the response from the current budget. Undefined if the write has
   * not happened. `before` contains the ids that `before` read.
   */
  readonly recover?: (
    readDelta: ReadDelta,
    input: z.output<z.ZodObject<Input>>,
    before: ReadonlySet<string>,
  ) => Promise<z.output<z.ZodObject<Output>> | undefined>;
  /**
   * For a write that is refused when the network delivers it a second time. The first delivery has then succeeded,
   * but its response is lost.
   */
  readonly refusedAgain?: {
    readonly code: 'conflict' | 'resource_not_found';
    /** Whether the refusal is known to have applied before the write. Nothing was then written. */
    readonly wasSoBefore: (
      readDelta: ReadDelta,
      input: z.output<z.ZodObject<Input>>,
      before: ReadonlySet<string>,
    ) => Promise<boolean>;
  };
  /**
   * For a write whose second delivery gets a response as if there was nothing to do: whether this is such a
   * response. The budget is then read to find what was written.
   */
  readonly answeredAgain?: (data: z.output<z.ZodObject<Output>>) => boolean;
  /**
   * For a write: what it would do, based on the current budget. Throws `resource_not_found` if its target does not
   * exist.
   */
  readonly simulate?: (
    readCurrent: ReadCurrent,
    input: z.output<z.ZodObject<Input>>,
    chart: ChartOfAccounts,
  ) => Promise<SimulationInput<DataOf<Output>>>;
  /** Present if the data is a list. */
  readonly rows?: Rows & { readonly key: keyof Output };
  /** Present if the data is an export: the property of `data` whose arrays are returned only on request. */
  readonly collections?: keyof Output & string;
  /**
   * Arguments as a model would send them on `EXAMPLE_DATE`. The contract test calls the embedded service with them.
   */
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
  // Methods are bivariant, so an operation with specific input is assignable to `Operation`.
  readLocally?(
    replica: BudgetReplica,
    input: z.output<z.ZodObject<Input>>,
  ): Immutable<z.output<z.ZodObject<Output>>>;
  readFromSession?(
    session: SessionReads,
    input: z.output<z.ZodObject<Input>>,
    signal?: AbortSignal,
  ): SessionRead<z.output<z.ZodObject<Output>>>;
  readonly isConstant?: boolean;
  readonly completes?: {
    readonly argument: string;
    candidates(data: Immutable<z.output<z.ZodObject<Output>>>): readonly Candidate[];
  };
  readonly batch?: string;
  body?(fields: Readonly<Record<string, unknown>>): unknown;
  check?(input: z.output<z.ZodObject<Input>>, today: string): string[];
  before?(readDelta: ReadDelta, input: z.output<z.ZodObject<Input>>): Promise<Before>;
  recover?(
    readDelta: ReadDelta,
    input: z.output<z.ZodObject<Input>>,
    before: ReadonlySet<string>,
  ): Promise<z.output<z.ZodObject<Output>> | undefined>;
  readonly refusedAgain?: {
    readonly code: 'conflict' | 'resource_not_found';
    wasSoBefore(
      readDelta: ReadDelta,
      input: z.output<z.ZodObject<Input>>,
      before: ReadonlySet<string>,
    ): Promise<boolean>;
  };
  answeredAgain?(data: z.output<z.ZodObject<Output>>): boolean;
  simulate?(
    readCurrent: ReadCurrent,
    input: z.output<z.ZodObject<Input>>,
    chart: ChartOfAccounts,
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
  const pathParameters = Object.entries(input).filter(([name]) => read.route.includes(`{${name}}`));
  return read.input.parse(Object.fromEntries(pathParameters));
}
