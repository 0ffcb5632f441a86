/**
 * Answers the requests for resources. Read tools are resources, with the URI of the tool's definition. A resource contains
 * the same JSON as the structured content of the tool. Arguments that are not in the path can be given in the query.
 */
import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type Server,
  UriTemplate,
} from '@modelcontextprotocol/server';
import type { ReadTool, Tool } from '../answers/tool.ts';
import { BudgetError, type ErrorCode, invalidInput } from '../base/errors.ts';
import { escapeUnseen, quote, word } from '../base/quote.ts';
import type { BudgetClient } from '../session/budget-client.ts';
import { listedPages, type ReadView, readPage, showsViews } from './apps.ts';
import type { FeatureList } from './features.ts';
import type { Prompt } from './prompt-texts.ts';
import { listedSkills, readSkill } from './skills.ts';
import type { ToolExecutor } from './tool-executor.ts';
import { schemasOf, type ToolArguments } from './tool-schemas.ts';

/** Longer than any URI of ids, a name and the few arguments of a query. */
const MAX_URI = 8_000;

/** Cached, because creating a template costs more than matching a URI. */
const templates = new Map<string, UriTemplate>();

function templateOf(resource: string): UriTemplate {
  const template = templates.get(resource) ?? new UriTemplate(resource);
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

/** A tool whose results are resources. */
export type ResourceTool = ReadTool & { readonly resource: string };

export const isResourceTool = (tool: Tool): tool is ResourceTool =>
  tool.kind === 'read' && tool.resource !== undefined;

/** The names of the variables in the URI of a resource. */
export const variablesOf = ({ resource }: ResourceTool): readonly string[] =>
  templateOf(resource).variableNames;

export interface ResourceDeps {
  readonly executor: ToolExecutor;
  readonly client: Pick<BudgetClient, 'knownBudgets' | 'lacks'>;
  /** All tools, whose views are resources too. */
  readonly tools: FeatureList<Tool>;
  readonly readView?: ReadView | undefined;
  readonly skills: FeatureList<Prompt>;
}

const mimeType = 'application/json';

export function handleResources(
  server: Server,
  tools: readonly ResourceTool[],
  { executor, client, tools: all, readView, skills }: ResourceDeps,
): void {
  server.setRequestHandler('resources/list', (_, context) => ({
    resources: [
      ...tools.flatMap((tool) => listed(tool, client)),
      ...(readView && showsViews(server, context) ? listedPages(all.available) : []),
      ...listedSkills(skills),
    ],
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: tools
      .filter(({ operation }) => !(operation && client.lacks(operation)))
      .map(({ name, title, description, resource }) => ({
        name,
        uriTemplate: resource,
        title,
        description,
        mimeType,
      })),
  }));
  server.setRequestHandler('resources/read', async ({ params }, { mcpReq: { signal } }) => {
    const { uri } = params;
    if (!URL.canParse(uri))
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Resource URI ${word(uri)} is invalid`, {
        uri,
        reason: 'invalid_uri',
      });
    const { href } = new URL(uri);
    const page = readView && (await readPage(href, all.available, readView));
    if (page) return { contents: [page] };
    const skill = readSkill(href, skills);
    if (skill) return { contents: [skill] };
    const request = findResource(href, tools);
    if (!request) throw new ResourceNotFoundError(uri);
    try {
      const resolved = await executor.resolve(request.tool, argumentsOf(request), executor.begin({ signal }));
      const { data } = await executor.read(resolved);
      return { contents: [{ uri: href, mimeType, text: escapeUnseen(JSON.stringify(data())) }] };
    } catch (error) {
      const code = isResourceNotFound(error)
        ? ProtocolErrorCode.InvalidParams
        : ProtocolErrorCode.InternalError;
      throw new ProtocolError(code, executor.explainError(error, request.tool.name), { uri: href });
    }
  });
}

/** Whether an error means that there is no such resource. */
export const isResourceNotFound = (error: unknown) =>
  error instanceof BudgetError && NOT_FOUND_CODES.has(error.code);

type ResourceRequest = NonNullable<ReturnType<typeof findResource>>;

/** `variables` are the values in the path. Undefined if the URI belongs to none of the tools. Throws a `ProtocolError` if it is malformed. */
export function findResource(uri: string, tools: readonly ResourceTool[]) {
  if (!URL.canParse(uri)) return undefined;
  // Templates have no query. A URI that is too long is cut, so that it matches and `argumentsOf` can report the problem.
  const [path = ''] = uri.slice(0, MAX_URI).split('?', 1);
  for (const tool of tools) {
    const variables = templateOf(tool.resource).match(path);
    if (variables) return { tool, uri: new URL(uri), variables: decodeAll(variables) };
  }
  return undefined;
}

/** The variables of the path and the parameters of the query. Throws `invalid_input`. */
export function argumentsOf({ tool, uri, variables }: ResourceRequest): ToolArguments {
  if (uri.href.length > MAX_URI) throw invalidInput(`A URI may have at most ${MAX_URI} characters.`);
  // All of them are texts: a number is its JSON text.
  const args = schemasOf(tool).parse({ ...Object.fromEntries(uri.searchParams), ...variables });
  // A resource is exactly what its URI says, so nothing in it is ignored.
  if (args.notes.length > 0) throw invalidInput(args.notes.join(' '));
  return args;
}

/**
 * Lists the resources whose URI is known without a request: those without parameters, and the user's budgets after they
 * were read. Hosts list resources when they start, and that must not open the keychain.
 */
function listed(
  { name, title, description, resource }: ResourceTool,
  { knownBudgets }: Pick<BudgetClient, 'knownBudgets'>,
) {
  const template = templateOf(resource);
  const metadata = { title, description, mimeType };
  if (template.variableNames.length === 0) return [{ ...metadata, uri: resource, name }];
  if (!resource.endsWith('/{budget_id}')) return [];
  return (
    knownBudgets
      // A URI cannot contain lone surrogates.
      .filter(({ id }) => !/\p{Surrogate}/u.test(id))
      .map(({ id, name }) => ({
        ...metadata,
        uri: template.expand({ budget_id: id }),
        name: quote(name),
        title: quote(name),
      }))
  );
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
