/**
 * The definition of a tool. A tool declares the schemas of its arguments and its result, with amounts in milliunits, and they are
 * the types of its functions. Hosts get both in currency units. A tool does not depend on MCP.
 */
import type { z } from 'zod';
import type { Days } from '../base/calendar.ts';
import type { JsonObject } from '../base/json.ts';
import type { ImmutableOf } from '../base/schema/immutable.ts';
import type { BudgetedAmount } from '../model/sums/ready-to-assign.ts';
import type { Operation, OperationKind } from '../operations/operation.ts';
import type { Toolset } from '../operations/toolsets.ts';
import type { BudgetCall } from '../session/budget-call.ts';
import type { Freshness } from '../session/call-result.ts';
import type { FormattedText, TextContext } from './text.ts';
import type { FormattedAnswer } from './tool-result.ts';
import type { ViewContent, ViewKind } from './view-data/view-content.ts';
import type { WriteContent } from './view-data/write-content.ts';

export interface ToolAnswer<Data extends JsonObject = JsonObject> {
  /** Matches the tool's `output` schema, with amounts in milliunits. */
  readonly data: Data;
  /** Missing only if the result contains no data of a budget or a user. */
  readonly freshness?: Freshness;
  /** What the view of the tool draws. Only called for hosts that show views. */
  readonly view?: () => ViewContent;
}

interface ToolEntry<Input extends z.ZodObject, Output extends z.ZodObject>
  extends Pick<Operation, 'name' | 'title' | 'description'> {
  /** The group that users can enable. A tool without a group is always enabled. */
  readonly toolset?: Toolset;
  /** The schema of the arguments. `budget_id` is the budget of the call. */
  readonly input: Input;
  readonly output: Output;
  readonly operation?: Operation;
  /** Arguments as a model would send them on `EXAMPLE_DATE`. */
  readonly example: JsonObject;
  /** Whether it is only offered where there is a folder with statements of banks, or a view in which they are chosen. */
  readonly needsStatements?: true;
  /** Problems that the schema cannot express, before the service is asked. */
  check?(input: z.output<Input>, days: Days): readonly string[];
}

/** Its arguments were parsed once, and have full ids. Methods are bivariant, so a tool with types of its own is a `Tool`. */
export interface ReadTool<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
  Answer extends ToolAnswer = ToolAnswer,
> extends ToolEntry<Input, Output> {
  readonly kind: 'read';
  /** The URI or URI template of the resources that contain the same data. */
  readonly resource?: string;
  /** Whether the tool is about this server. Its result has no freshness. */
  readonly isAboutServer?: boolean;
  /** Whether the tool changes something in this server. It changes nothing in a budget. */
  readonly changesServer?: boolean;
  /** Whether only views may call it. It is in no catalogue. */
  readonly isForViews?: true;
  /** Throws `BudgetError` for expected failures. */
  run(call: BudgetCall, input: z.output<Input>): Promise<Answer>;
  /** The text of the answer. If it shows only a page of the answer, it also returns the data of that page. */
  text(answer: TextSource<Answer>, context: TextContext): FormattedText & { readonly data?: JsonObject };
  /** The view that hosts may show beside the text. `ToolAnswer.view` is what it draws. */
  readonly view?: Answer extends { readonly view: () => { readonly kind: infer Kind extends ViewKind } }
    ? Kind
    : ViewKind;
}

/** The part of an answer that its text rests on. */
type TextSource<Answer extends ToolAnswer> = Omit<Answer, 'freshness' | 'view'> &
  Pick<ToolAnswer, 'freshness'>;

export interface WriteTool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject>
  extends ToolEntry<Input, Output> {
  readonly kind: Exclude<OperationKind, 'read'>;
  /** For a write of several rows: the argument that contains them or their number. */
  readonly batch?: string;
  /** Whether the user is asked about each call, as about a deletion. */
  readonly isConfirmed?: boolean;
  /** False if a second equal call does something again, although the write is no creation. */
  readonly isRepeatable?: false;
  /** Prepares the write without sending it. `planOperation` does this for a single operation. */
  plan(call: BudgetCall, input: z.output<Input>, isDryRun?: boolean): Promise<PlannedWrite>;
}

/** A write that has not been sent. It consists of one operation of the service or of several. */
export interface PlannedWrite {
  /** The number of rows that it would change, if the arguments do not contain them. */
  readonly rows?: number;
  /** Whether an equal earlier call may have written this, and no host has its outcome. */
  isRepeat(): Promise<boolean>;
  /** Writes once, or returns the outcome of an earlier equal call. With `mustNotSend` only the latter. */
  run(mustNotSend: boolean): Promise<WriteAnswer>;
  simulate(): Promise<WritePreview>;
}

export interface WriteAnswer {
  readonly freshness: Freshness;
  /** The data matches the tool's `output` schema, with amounts in milliunits. */
  format(context: TextContext): FormattedAnswer;
  /** What the view of a write draws. Only called for hosts that show views. */
  readonly view?: () => WriteContent;
  /** The amounts that it budgets, for a write that does. The executor adds what is left to assign. */
  readonly budgeted?: readonly BudgetedAmount[];
}

export interface WritePreview extends WriteAnswer {
  /** Why the service would refuse it. The user is then not asked. */
  readonly problems: readonly string[];
  /** The facts that a user decides by. The user is asked again if they change. */
  readonly facts: JsonObject;
  /** The question to a user who confirms the write. `freshness` is that of the facts. */
  question(freshness: Freshness): string;
}

export type Tool = ReadTool | WriteTool;

/** Infers the types of `check`, `run`, `text` and `plan` from the schemas. They are erased where the tools are listed. */
export function defineTool<
  Input extends z.ZodObject,
  Output extends z.ZodObject,
  Answer extends ToolAnswer<ImmutableOf<Output>>,
>(tool: ReadTool<Input, Output, Answer>): ReadTool<Input, Output, Answer>;
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: WriteTool<Input, Output>,
): WriteTool<Input, Output>;
export function defineTool(tool: Tool): Tool {
  return tool;
}

/** What arguments are parsed and resolved for. */
export type WithArguments = Pick<ReadTool, 'kind' | 'input' | 'check'> | WriteTool;
