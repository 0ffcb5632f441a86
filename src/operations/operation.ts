/**
 * The definition of an operation of the service. One entry contains everything about one operation. Tools,
 * resources, requests, documentation and the contract test are derived from it. This folder is data and does not
 * depend on the HTTP client, MCP or currency formats.
 */
import { z } from 'zod';
import type { Days } from '../base/calendar.ts';
import type { Moment } from '../base/clock.ts';
import type { JsonObject } from '../base/json.ts';
import type { BudgetSummary, User } from '../base/schema/budget.ts';
import type { Immutable } from '../base/schema/immutable.ts';
import { knowledgeOf } from '../base/schema/knowledge.ts';
import type { Posting } from '../model/bookkeeping/entries.ts';
import type { ReconciledMove } from '../model/bookkeeping/reconciled.ts';
import type { EntryRules } from '../model/bookkeeping/refusals.ts';
import type { BudgetReplica } from '../model/replica/budget-replica.ts';
import type { InMonth } from '../model/sums/categories-of-month.ts';
import type { BudgetedAmount } from '../model/sums/ready-to-assign.ts';
import type { TakeBack, Written } from './reversal.ts';

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
   * Transactions are sorted newest first, scheduled ones by their next date, and by id within a day. Other lists keep the order
   * of the service, which is the user's.
   */
  readonly order: 'newest first' | 'soonest first' | 'as sent';
}

/** Rows in a single thing, such as the categories of a month. */
export interface RowsInside extends Rows {
  /** The property of `data` that contains the thing. */
  readonly of: string;
}

/** The parsed input or `data` of an operation with these fields. */
export type DataOf<Fields extends z.ZodRawShape> = z.output<z.ZodObject<Fields>>;

export interface ReadDeltaOptions {
  /** Path parameters, if they differ from those of the write. */
  readonly pathParameters?: JsonObject;
  /** Requests the whole list instead of a delta. */
  readonly isWhole?: boolean;
}

/** Reads the changes of a list since just before the write, or a single resource. */
export type ReadDelta = <Output extends z.ZodRawShape>(
  operation: Operation<z.ZodRawShape, Output>,
  options?: ReadDeltaOptions,
) => Promise<DataOf<Output>>;

/** The state of the budget just before a write. */
export interface StateBeforeWrite {
  /** Ids that the operation compares with the state after the write. */
  readonly ids: ReadonlySet<string>;
  /** The `server_knowledge` of that state, if the response contained it. */
  readonly server_knowledge?: number | undefined;
  /** Things that the write changes or removes, if they were read for that. */
  readonly rows?: readonly JsonObject[] | undefined;
  /** Fields of that state that the request needs and the input lacks. */
  readonly missing?: JsonObject | undefined;
}

/**
 * Reads the current state with the path parameters of the write. `pathParameters` replaces those that differ.
 */
export type ReadCurrent = <Output extends z.ZodRawShape>(
  operation: Operation<z.ZodRawShape, Output>,
  pathParameters?: JsonObject,
) => Promise<Immutable<DataOf<Output>>>;

/** A cached response, with the time of its request. */
interface SessionRead<Data> {
  readonly asOf: Moment;
  readonly data: Immutable<Data>;
}

/** The cached responses of a sign-in that are about no budget. */
export interface SessionReads {
  user(): Promise<SessionRead<{ user: User }>>;
  budgets(
    signal?: AbortSignal,
  ): Promise<SessionRead<{ budgets: BudgetSummary[]; default_budget: BudgetSummary | null }>>;
}

/** The input of the simulation of a write. Every field is optional. */
export interface SimulationInput<Data = JsonObject> {
  /** The current state of the entities that the write refers to, such as the transaction to delete. */
  readonly current?: Immutable<Partial<Data>>;
  /** The amounts that it would add to balances. Removed amounts are negative. */
  readonly postings?: readonly Posting[];
  /** How it would move the reconciled balances of accounts. */
  readonly reconciled?: readonly ReconciledMove[];
  /** True if the service may decide in several ways. The balances in `postings` are then not predicted. */
  readonly isUncertain?: boolean;
  /** The category in the month of the write. */
  readonly category?: { readonly id: string; readonly name: string; readonly balance: number };
  /** The reasons for which the service would refuse the write. */
  readonly problems?: readonly string[];
  /** The paths of the fields that the service would ignore, such as `transactions.0.category_id`. */
  readonly ignored?: readonly string[];
  /** Things that it would leave and that may not be meant, or that cannot be predicted, in sentences. */
  readonly remarks?: readonly string[];
}

/** A placeholder for an id in an example, because ids differ between budgets. */
export const EXAMPLE_ID = '…';

/** The date of the examples. To run one on a later day, move its dates by the difference. */
export const EXAMPLE_DATE = '2026-11-21';

type Example = string | number | boolean | readonly Readonly<Record<string, string | number>>[];

/** Methods are bivariant, so an operation with specific input is assignable to `Operation`. */
export interface Operation<
  Input extends z.ZodRawShape = z.ZodRawShape,
  Output extends z.ZodRawShape = z.ZodRawShape,
> {
  /** The name of the tool. */
  readonly name: string;
  readonly title: string;
  /** The description for a model: what it returns and when to use it. */
  readonly description: string;
  /** Method and path, relative to the base URL. Input that is not in the path becomes the query or the body. */
  readonly route: Route;
  /** Follows from the method. */
  readonly kind: OperationKind;
  /** The version of the interface that added the operation. Absent if every supported version has it. */
  readonly addedIn?: '1.85';
  /** Parameters by their names in the interface. */
  readonly input: z.ZodObject<Input, z.core.$strict>;
  /** The schema of the response's `data`. Amounts are `milliunits`. */
  readonly output: z.ZodObject<Output>;
  /**
   * For a read of a budget: returns the same `data` from a replica without a request. Throws `resource_not_found` as
   * the service would.
   */
  readLocally?(replica: BudgetReplica, input: DataOf<Input>): Immutable<DataOf<Output>>;
  /** For data with the amounts of the service's month: the same data with those of the person's month. */
  inMonth?(data: Immutable<DataOf<Output>>, of: InMonth): Immutable<DataOf<Output>>;
  /** For a read that is about no budget: returns the same `data` from the session's cache. Undefined if it is not cached. */
  readFromSession?(
    session: SessionReads,
    input: DataOf<Input>,
    signal?: AbortSignal,
  ): Promise<SessionRead<DataOf<Output>>> | undefined;
  /**
   * True for a read that no replica can answer, because exports and deltas lack its data. Its response is valid as long as
   * the `server_knowledge` of the budget stays the same.
   */
  readonly isCachedByKnowledge?: boolean;
  /** For a list: brings a response in the order of `rows`, and applies parameters that older services ignore. */
  arrange?(data: DataOf<Output>, input: DataOf<Input>): DataOf<Output>;
  /** For a write of several rows: the name of the argument, and of the property of `data`, that contains the rows. */
  readonly batch?: string;
  /** For a write: creates the JSON body from the input without the path parameters. */
  body?(fields: JsonObject): unknown;
  /** Problems that the schema cannot express, before the service is asked. */
  check?(input: DataOf<Input>, days: Days): string[];
  /** For a write with days: what to say after the service has refused it on its day, in sentences. */
  whenRefused?(input: DataOf<Input>, ofService: string): readonly string[];
  /** For a write that cannot be sent or recovered otherwise: reads the state just before the write is sent. */
  readBefore?(readDelta: ReadDelta, input: DataOf<Input>): Promise<StateBeforeWrite>;
  /**
   * For a write whose response was lost: rebuilds the response from the current budget. Undefined if the write has
   * not happened. `idsBefore` contains the ids that `readBefore` returned.
   */
  recover?(
    readDelta: ReadDelta,
    input: DataOf<Input>,
    idsBefore: ReadonlySet<string>,
  ): Promise<DataOf<Output> | undefined>;
  /**
   * For a write that the service refuses when the network delivers it twice. The first delivery has then succeeded, but
   * its response is lost.
   */
  readonly duplicateRefusal?: {
    readonly code: 'conflict' | 'resource_not_found';
    /** Whether the service would have refused the write before it was sent. Nothing was then written. */
    appliedBefore(
      readDelta: ReadDelta,
      input: DataOf<Input>,
      idsBefore: ReadonlySet<string>,
    ): Promise<boolean>;
  };
  /**
   * For a write whose second delivery succeeds without doing anything: whether this may be the response to a second
   * delivery. The budget is then read to find what the first one wrote.
   */
  isDuplicateResponse?(data: DataOf<Output>): boolean;
  /**
   * For a write: what it would do, based on the current budget. Throws `resource_not_found` if its target does not
   * exist. The things that the input names outside the path may not exist either.
   */
  simulate?(
    readCurrent: ReadCurrent,
    input: DataOf<Input>,
    rules: EntryRules,
  ): Promise<SimulationInput<DataOf<Output>>>;
  /** For a write: what it will change or remove, as the replica has it. Throws `resource_not_found`. */
  stateBefore?(replica: BudgetReplica, input: DataOf<Input>): readonly JsonObject[];
  /** The same, read from the service, where no replica has it. Throws `resource_not_found`. */
  readStateBefore?(readDelta: ReadDelta, input: DataOf<Input>): Promise<readonly JsonObject[]>;
  /** For a write whose response lacks something that it has written, such as other sides of transfers: all of it. */
  stateAfter?(replica: BudgetReplica, data: DataOf<Output>): readonly JsonObject[];
  /** For a write of what is budgeted: the new amount. */
  budgeted?(input: DataOf<Input>): BudgetedAmount;
  /** For a write: what it has left that may not be meant, in sentences. */
  remarksAfter?(replica: BudgetReplica, data: DataOf<Output>): readonly string[];
  /** For a write: how to take it back. A write without this cannot be taken back. */
  takeBack?(written: Written): TakeBack;
  /** Present if the data is a list. */
  readonly rows?: Rows;
  /** Present if the data is a single thing with so many rows in it that they need pages. */
  readonly rowsInside?: RowsInside;
  /** Present if the data is an export: the property of `data` whose arrays are only counted in answers. */
  readonly collections?: string;
  /** Arguments as a model would send them on `EXAMPLE_DATE`. The contract test calls the embedded service with them. */
  readonly example: { readonly [argument: string]: Example | undefined };
}

/** What is written down more exactly: the compiler compares the names with those of the input, the output and the path. */
interface ExactFields<Path extends Route, Input extends z.ZodRawShape, Output extends z.ZodRawShape> {
  /** Absent if it is the name in words. */
  readonly title?: string;
  readonly route: Path;
  /** A missing path parameter is a compile error. */
  readonly input: Input & Record<PathParameter<Path>, z.ZodType>;
  readonly output: Output;
  readonly batch?: keyof Input & string;
  readonly body?: (fields: Omit<DataOf<Input>, PathParameter<Path>>) => unknown;
  readonly rows?: Rows & { readonly key: keyof Output };
  readonly rowsInside?: RowsInside & { readonly of: keyof Output };
  readonly collections?: keyof Output & string;
  /** Absent if it can be called without arguments. */
  readonly example?: { readonly [Name in keyof Input]?: Example };
}

/** An operation as it is written down. */
type OperationEntry<Path extends Route, Input extends z.ZodRawShape, Output extends z.ZodRawShape> = Omit<
  Operation<Input, Output>,
  'kind' | keyof ExactFields<Path, Input, Output>
> &
  ExactFields<Path, Input, Output>;

export function operation<
  const Path extends Route,
  Input extends z.ZodRawShape,
  Output extends z.ZodRawShape,
>(entry: OperationEntry<Path, Input, Output>): Operation<Input, Output> {
  return {
    title: inWords(entry.name),
    example: {},
    ...entry,
    kind: kindOf(entry.route),
    input: z.strictObject<Input>(entry.input),
    output: z.object(entry.output),
  };
}

const inWords = (name: string) => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');

function kindOf(route: Route): OperationKind {
  if (route.startsWith('GET ')) return 'read';
  if (route.startsWith('POST ')) return 'create';
  return route.startsWith('DELETE ') ? 'delete' : 'update';
}

/** A `readBefore` that returns the ids of the rows in a whole list. */
export const idsIn =
  <Output extends z.ZodRawShape>(
    list: Operation<z.ZodRawShape, Output>,
    rowsOf: (data: DataOf<Output>) => readonly { readonly id: string }[],
  ) =>
  async (readDelta: ReadDelta): Promise<StateBeforeWrite> => {
    const data = await readDelta(list, { isWhole: true });
    return { ids: new Set(rowsOf(data).map(({ id }) => id)), server_knowledge: knowledgeOf(data) };
  };

/** The input of `read`: those fields of `input` that are path parameters of `read`. */
export function inputFor<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
  read: Operation<Input, Output>,
  input: JsonObject,
): DataOf<Input> {
  const pathParameters = Object.entries(input).filter(([name]) => read.route.includes(`{${name}}`));
  return read.input.parse(Object.fromEntries(pathParameters));
}
