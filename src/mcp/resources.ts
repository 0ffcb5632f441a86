/**
 * Every read operation as a resource: `budget://v1` and the operation's own path. A resource holds the same JSON as the
 * structured content of the tool; the tool's other arguments may follow as a query.
 */
import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceTemplate,
  UriTemplate,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { BudgetClient } from '../client/budget-client.ts';
import { BudgetError, type ErrorCode } from '../errors.ts';
import { getBudget } from '../operations/budgets.ts';
import type { Operation } from '../operations/operation.ts';
import { escapeUnseen, visible } from '../platform/quote.ts';
import { validateArguments } from './arguments.ts';
import type { Completions } from './completions.ts';
import type { ToolDefinition } from './tool-definition.ts';
import type { ToolExecutor } from './tool-executor.ts';

const SCHEME = 'budget://v1';

/** Ids, a name and the few arguments of a query take less. */
const MAX_URI = 8_000;

/**
 * The path alone identifies the template; the SDK's own match would not accept a query. Of a URI that is too long the
 * beginning does, so that `argumentsAt` can say what is wrong with it.
 */
class PathTemplate extends UriTemplate {
  override match(uri: string) {
    const [path = ''] = uri.slice(0, MAX_URI).split('?', 1);
    return super.match(path);
  }
}

/** Made once: they cost more than to match a URI with them. */
const templates = new Map<Operation, PathTemplate>();

function templateOf(operation: Operation): PathTemplate {
  const known = templates.get(operation);
  if (known) return known;
  const made = new PathTemplate(SCHEME + operation.route.slice('GET '.length));
  templates.set(operation, made);
  return made;
}

/** Answers that mean that there is no such resource, to which the protocol gives a code of its own. */
const NOT_FOUND_CODES: ReadonlySet<ErrorCode> = new Set([
  'resource_not_found',
  'bad_request',
  'invalid_input',
  'invalid_cursor',
  'unknown_budget',
  'ambiguous_budget',
]);

export interface ResourceDeps {
  readonly answers: ToolExecutor;
  readonly client: Pick<BudgetClient, 'knownBudgets'>;
  readonly completions: Completions;
}

export function registerResources(
  server: McpServer,
  surfaces: readonly ToolDefinition[],
  { answers, client, completions }: ResourceDeps,
): void {
  for (const surface of surfaces) {
    const { name, title, description, kind } = surface.operation;
    if (kind !== 'read') continue;
    const metadata = { title, description, mimeType: 'application/json' };
    const read = async (uri: URL, variables: Record<string, unknown>, signal: AbortSignal) => {
      const question = await answers.resolve(surface, argumentsAt(surface, uri, variables), signal);
      const { structured } = await answers.run(question, signal);
      return {
        contents: [
          { uri: uri.href, mimeType: 'application/json', text: escapeUnseen(JSON.stringify(structured)) },
        ],
      };
    };
    const guarded: typeof read = async (uri, variables, signal) => {
      try {
        return await read(uri, variables, signal);
      } catch (error) {
        const code = isResourceNotFound(error)
          ? ProtocolErrorCode.InvalidParams
          : ProtocolErrorCode.InternalError;
        throw new ProtocolError(code, answers.explainError(error, name), { uri: uri.href });
      }
    };
    const template = templateOf(surface.operation);
    server.registerResource(
      name,
      new ResourceTemplate(template, {
        list: listing(surface.operation, template, client),
        complete: Object.fromEntries(
          template.variableNames.map((variable) => [
            variable,
            (typed: string, context?: { arguments?: Record<string, string> }) =>
              completions.complete(variable, typed, context?.arguments?.['budget_id']),
          ]),
        ),
      }),
      metadata,
      (uri, variables, { mcpReq }) => guarded(uri, decodeAll(variables), mcpReq.signal),
    );
  }
}

/** Whether an error means that there is no such resource. */
export const isResourceNotFound = (error: unknown) =>
  error instanceof BudgetError && NOT_FOUND_CODES.has(error.code);

export interface ResourceRequest {
  readonly surface: ToolDefinition;
  /** As the surface's `input` parsed them. */
  readonly args: Readonly<Record<string, unknown>>;
}

/** What the URI of a resource asks; undefined where it is none of these surfaces'. Throws `invalid_input`. */
export function findResource(uri: string, surfaces: readonly ToolDefinition[]): ResourceRequest | undefined {
  if (!URL.canParse(uri)) return undefined;
  for (const surface of surfaces) {
    const variables = surface.operation.kind === 'read' && templateOf(surface.operation).match(uri);
    if (variables) return { surface, args: argumentsAt(surface, new URL(uri), decodeAll(variables)) };
  }
  return undefined;
}

/** The path's variables and the query's parameters. Throws `invalid_input`. */
function argumentsAt(
  { input }: ToolDefinition,
  uri: URL,
  variables: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  if (uri.href.length > MAX_URI)
    throw new BudgetError('invalid_input', `A URI may have at most ${MAX_URI} characters.`);
  return parseArguments(input, { ...Object.fromEntries(uri.searchParams), ...variables });
}

type Listing = () => Promise<{ resources: { uri: string; name: string; title: string }[] }>;

/**
 * What a host can offer without being told an id: what has no parameters, and the user's budgets once they are known.
 * Hosts list at their start, when nobody has asked for anything yet that a keychain should be opened for.
 */
function listing(
  { name, title }: Operation,
  template: UriTemplate,
  client: Pick<BudgetClient, 'knownBudgets'>,
): Listing | undefined {
  if (template.variableNames.length === 0)
    return async () => ({ resources: [{ uri: template.toString(), name, title }] });
  if (name !== getBudget.name) return undefined;
  return async () => ({
    resources: client.knownBudgets
      // What is no text cannot be written in a URI.
      .filter(({ id }) => !/\p{Surrogate}/u.test(id))
      .map(({ id, name }) => ({
        uri: template.expand({ budget_id: id }),
        name,
        title: visible(name),
      })),
  });
}

function decodeAll(variables: Readonly<Record<string, string | string[]>>): Record<string, string> {
  try {
    return Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [name, decodeURIComponent(String(value))]),
    );
  } catch {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The URI has a malformed percent escape.');
  }
}

/** What a query says in text becomes what the schema wants. Throws `invalid_input`. */
function parseArguments(
  schema: z.ZodObject,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const typed = Object.entries(given).map(([name, value]) => [
    name,
    coerce(schema.shape[name], String(value)),
  ]);
  const validated = validateArguments(schema, Object.fromEntries(typed));
  if ('value' in validated) return validated.value;
  throw new BudgetError('invalid_input', `${validated.problems}.`);
}

function coerce(schema: z.core.$ZodType | undefined, value: string): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return coerce(schema.unwrap(), value);
  if (schema instanceof z.ZodNumber) return Number(value);
  if (schema instanceof z.ZodBoolean) return value === 'true' ? true : value === 'false' ? false : value;
  if (schema instanceof z.ZodArray) return value.split(',');
  return value;
}
