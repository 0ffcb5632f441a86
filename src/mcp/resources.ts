/**
 * Registers read tools as resources, with the URI of the tool's definition. A resource contains the same JSON as the
 * structured content of the tool. Arguments that are not in the path can be given in the query.
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
import type { JsonObject } from '../platform/json.ts';
import { escapeUnseen, visible } from '../platform/quote.ts';
import type { ReadTool, Tool } from '../tools/tool.ts';
import type { Completions } from './completions.ts';
import type { ToolExecutor } from './tool-executor.ts';
import { schemasOf, type ToolArguments } from './tool-schemas.ts';

/** Longer than any URI of ids, a name and the few arguments of a query. */
const MAX_URI = 8_000;

/**
 * Matches the path only, because the SDK's own match does not accept a query. A URI that is too long is cut, so that it
 * matches and `argumentsAt` can report the problem.
 */
class PathTemplate extends UriTemplate {
  override match(uri: string) {
    const [path = ''] = uri.slice(0, MAX_URI).split('?', 1);
    return super.match(path);
  }
}

/** Cached, because creating a template costs more than matching a URI. */
const templates = new Map<string, PathTemplate>();

function templateOf(resource: string): PathTemplate {
  const cached = templates.get(resource);
  if (cached) return cached;
  const template = new PathTemplate(resource);
  templates.set(resource, template);
  return template;
}

/** Errors that mean that there is no such resource. The protocol has an error code for this. */
const NOT_FOUND_CODES: ReadonlySet<ErrorCode> = new Set([
  'resource_not_found',
  'bad_request',
  'invalid_input',
  'invalid_cursor',
  'unknown_budget',
  'ambiguous_budget',
]);

export interface ResourceDeps {
  readonly executor: ToolExecutor;
  readonly client: Pick<BudgetClient, 'knownBudgets'>;
  readonly completions: Completions;
}

export function registerResources(
  server: McpServer,
  tools: readonly Tool[],
  { executor, client, completions }: ResourceDeps,
): void {
  for (const tool of tools) {
    if (tool.kind !== 'read' || tool.resource === undefined) continue;
    const { name, title, description, resource } = tool;
    const metadata = { title, description, mimeType: 'application/json' };
    const read = async (uri: URL, variables: Record<string, string>, signal: AbortSignal) => {
      try {
        const resolved = await executor.resolve(tool, argumentsAt(tool, uri, variables), { signal });
        const { data } = await executor.read(resolved);
        const text = escapeUnseen(JSON.stringify(data()));
        return { contents: [{ uri: uri.href, mimeType: 'application/json', text }] };
      } catch (error) {
        const code = isResourceNotFound(error)
          ? ProtocolErrorCode.InvalidParams
          : ProtocolErrorCode.InternalError;
        throw new ProtocolError(code, executor.explainError(error, name), { uri: uri.href });
      }
    };
    const template = templateOf(resource);
    const complete = template.variableNames.map((variable) => [
      variable,
      (typed: string, context?: { arguments?: Record<string, string> }) =>
        completions.complete(variable, typed, context?.arguments?.['budget_id']),
    ]);
    server.registerResource(
      name,
      new ResourceTemplate(template, {
        list: listing(tool, template, client),
        complete: Object.fromEntries(complete),
      }),
      metadata,
      (uri, variables, { mcpReq }) => read(uri, decodeAll(variables), mcpReq.signal),
    );
  }
}

/** Whether an error means that there is no such resource. */
export const isResourceNotFound = (error: unknown) =>
  error instanceof BudgetError && NOT_FOUND_CODES.has(error.code);

export interface ResourceRequest {
  readonly tool: ReadTool;
  readonly args: ToolArguments;
}

/** The tool and arguments for a URI. Undefined if the URI belongs to none of the tools. Throws `invalid_input`. */
export function findResource(uri: string, tools: readonly Tool[]): ResourceRequest | undefined {
  if (!URL.canParse(uri)) return undefined;
  for (const tool of tools) {
    if (tool.kind !== 'read' || tool.resource === undefined) continue;
    const variables = templateOf(tool.resource).match(uri);
    if (variables) return { tool, args: argumentsAt(tool, new URL(uri), decodeAll(variables)) };
  }
  return undefined;
}

/** The variables of the path and the parameters of the query. Throws `invalid_input`. */
function argumentsAt(tool: ReadTool, uri: URL, variables: JsonObject): ToolArguments {
  if (uri.href.length > MAX_URI)
    throw new BudgetError('invalid_input', `A URI may have at most ${MAX_URI} characters.`);
  const { input, parse } = schemasOf(tool);
  const texts = { ...Object.fromEntries(uri.searchParams), ...variables };
  const args = parse(coerceAll(input, texts));
  // A resource is exactly what its URI says, so nothing in it is ignored.
  if (args.notes.length > 0) throw new BudgetError('invalid_input', args.notes.join(' '));
  return args;
}

type Listing = () => Promise<{ resources: { uri: string; name: string; title: string }[] }>;

/**
 * Lists the resources whose URI is known without a request: those without parameters, and the user's budgets after they
 * were read. Hosts list resources when they start, and that must not open the keychain.
 */
function listing(
  { name, title }: ReadTool,
  template: UriTemplate,
  client: Pick<BudgetClient, 'knownBudgets'>,
): Listing | undefined {
  if (template.variableNames.length === 0)
    return async () => ({ resources: [{ uri: template.toString(), name, title }] });
  if (!template.toString().endsWith('/{budget_id}')) return undefined;
  return async () => ({
    resources: client.knownBudgets
      // A URI cannot contain lone surrogates.
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

/** Converts the texts of a URI to the types of the schema. */
const coerceAll = ({ shape }: z.ZodObject, texts: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(texts).map(([name, value]) => [name, coerce(shape[name], String(value))]),
  );

function coerce(schema: z.core.$ZodType | undefined, value: string): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return coerce(schema.unwrap(), value);
  if (schema instanceof z.ZodNumber) return Number(value);
  if (schema instanceof z.ZodBoolean) return value === 'true' ? true : value === 'false' ? false : value;
  if (schema instanceof z.ZodArray) return value.split(',');
  return value;
}
