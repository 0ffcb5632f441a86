/**
 * What a model can call. A tool declares its arguments and its answer once, with amounts in milliunits; hosts see both
 * in currency units. It knows budgets and words, and nothing of MCP.
 */
import type { z } from 'zod';
import type { BudgetCall, SimulatedWrite } from '../client/budget-call.ts';
import type { CallResult } from '../client/call-result.ts';
import type { Freshness } from '../client/freshness.ts';
import type { FormattedText, TextContext } from '../format/text.ts';
import type { Toolset } from '../operations/index.ts';
import type { Candidate, Operation, OperationKind } from '../operations/operation.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** What a tool answers. */
export interface ToolAnswer {
  /** By the tool's `output`, amounts in milliunits. */
  readonly data: JsonObject;
  /** Missing only where the answer says nothing about a budget or a user. */
  readonly freshness?: Freshness;
}

/** Values of an argument, for a person who types the beginning of a name. */
export interface Completer {
  readonly argument: string;
  candidates(call: BudgetCall, search: CompletionSearch): Promise<readonly Candidate[]>;
}

export interface CompletionSearch {
  /** The budget to look in, by id or name; the default budget without it. */
  readonly budget_id?: string | undefined;
  /** How far back to look where a list could be long. */
  readonly since_date: string;
}

interface ToolEntry {
  readonly name: string;
  /** What a person sees. */
  readonly title: string;
  /** What a model reads: what it gives and when to use it. */
  readonly description: string;
  /** The group that a person can choose; a tool without one is always offered. */
  readonly toolset?: Toolset;
  /** Arguments. One called `budget_id` names the budget that the call is about. */
  readonly input: z.ZodObject;
  /** The shape of `ToolAnswer.data`. */
  readonly output: z.ZodObject;
  /** The operation of the service that it mirrors. */
  readonly operation?: Operation;
  readonly completer?: Completer;
  /** Arguments as a model would give them on `EXAMPLE_DATE`. */
  readonly example: JsonObject;
  /** What is wrong with arguments that the schema lets pass, seen on the date `today` (UTC). */
  check?(input: JsonObject, today: string): readonly string[];
}

export interface ReadTool<Answer extends ToolAnswer = ToolAnswer> extends ToolEntry {
  readonly kind: 'read';
  /** The URI, or the template of URIs, under which its answers are resources as well. */
  readonly resource?: string;
  /** Whether its answer never changes. */
  readonly isConstant?: boolean;
  /** Whether it is about this server: its answer has no freshness. */
  readonly isAboutServer?: boolean;
  /** Expected failures are `BudgetError`s. */
  run(call: BudgetCall, input: JsonObject): Promise<Answer>;
  /** The data that `run` would give from the cache alone; undefined where it cannot, null where it finds nothing. */
  runCached?(call: BudgetCall, input: JsonObject): JsonObject | null | undefined;
  text(answer: Answer, context: TextContext): FormattedText;
}

export interface WriteTool extends ToolEntry {
  readonly kind: Exclude<OperationKind, 'read'>;
  /** The argument that lists rows, for a write of several. */
  readonly batch?: string;
  /** Works out what the call would write, and writes nothing. */
  plan(call: BudgetCall, input: JsonObject): Promise<PlannedWrite>;
}

/** A write that has not been carried out. */
export interface PlannedWrite {
  readonly operation: Operation;
  /** As the operation's schema parses it. */
  readonly input: JsonObject;
  /** Whether `run` would only give what has become of an equal write before. */
  isRepeat(): boolean;
  /** Writes. With `isRepeat` it only gives what has become of an equal write before. */
  run(isRepeat: boolean): Promise<CallResult<JsonObject>>;
  /** What it would do. */
  simulate(): Promise<SimulatedWrite>;
}

export type Tool = ReadTool | WriteTool;
