/**
 * The two tools that are about this server, not about the service: what it holds and may still ask, and bringing what
 * it holds up to date. The status is a resource as well.
 */
import { type McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { BudgetClient, ClientStatus } from '../client/budget-client.ts';
import { BudgetError } from '../errors.ts';
import { quote, word } from '../format/text.ts';
import { formatFreshness } from '../format/tool-result.ts';
import { budgetId } from '../operations/fields.ts';
import { advertise } from './advertised-schema.ts';
import { freshness } from './tool-definition.ts';
import type { ToolExecutor } from './tool-executor.ts';
import { annotations, errorResult } from './tools.ts';

export const STATUS_URI = 'budget://status';

const time = z.string();

const writeState = z.enum(['waiting', 'sent', 'being_looked_for', 'written', 'not_written', 'unknown']);

const statusSchema = z.object({
  requests: z.object({
    limit: z.number(),
    used: z.number(),
    left: z.number(),
    left_for_reads: z.number(),
    next_read_at: time,
    next_write_at: time,
    all_back_at: time,
  }),
  cache: z.object({
    held: z.array(
      z.object({ budget_id: z.string(), as_of: time, bytes: z.number(), server_knowledge: z.number() }),
    ),
    too_large: z.array(z.string()).readonly(),
    failing: z.array(z.string()).readonly(),
    bytes: z.number(),
    hits: z.number(),
    syncs: z.number(),
    loads: z.number(),
  }),
  token: z.object({
    kind: z.string().optional(),
    scope: z.string().optional(),
    expires_at: time.optional(),
    place: z.string().optional(),
    problem: z.string().optional(),
  }),
  writes: z.array(z.object({ tool: z.string(), budget_id: z.string(), called_at: time, state: writeState })),
  read_only: z.boolean(),
  version: z.string(),
  notice: z.string().optional(),
});

const refreshedSchema = z.object({
  budget: z.object({ id: z.string(), name: z.string() }),
  server_knowledge: z.number(),
  bytes: z.number(),
  freshness,
});

const inputs = {
  status: z.strictObject({}),
  refresh: z.strictObject({ budget_id: budgetId, full: z.boolean().optional() }),
};

const surfaces = {
  status: {
    inputSchema: advertise(inputs.status, 'input'),
    outputSchema: advertise(statusSchema, 'output'),
  },
  refresh: {
    inputSchema: advertise(inputs.refresh, 'input'),
    outputSchema: advertise(refreshedSchema, 'output'),
  },
};

export interface ServerToolDeps {
  readonly client: Pick<BudgetClient, 'status' | 'refresh'>;
  readonly answers: ToolExecutor;
  readonly version: string;
  readonly notice?: string | undefined;
  /** Whose writes are told of, where there are several callers. */
  readonly caller?: string | undefined;
}

export function registerServerTools(server: McpServer, parts: ServerToolDeps): void {
  const { client, answers, caller } = parts;
  server.registerTool(
    'get_status',
    {
      title: 'Get status',
      description: 'Requests used and left, what is held, and writes whose outcome you were not told.',
      annotations: annotations.read,
      ...surfaces.status,
    },
    async () => {
      try {
        const status = statusOf(await client.status(caller), parts);
        return { content: [{ type: 'text', text: lineOf(status) }], structuredContent: status };
      } catch (error) {
        return errorResult(answers, error, 'get_status');
      }
    },
  );
  server.registerTool(
    'refresh_budget',
    {
      title: 'Refresh budget',
      description: 'Syncs what is held now (full: loads it anew). Answers sync by themselves.',
      annotations: annotations.read,
      ...surfaces.refresh,
    },
    async (args, { mcpReq }) => {
      try {
        const { budget_id, full = false } = inputs.refresh.parse(args);
        const { budget, ...refreshed } = await client.refresh(budget_id, full, mcpReq.signal);
        const state = refreshed.freshness.stale_reason === undefined ? 'is up to date' : 'was asked for';
        const text = `Budget ${quote(budget.name)} ${state}. ${formatFreshness(refreshed.freshness)}`;
        const structured = { ...refreshed, budget: { id: budget.id, name: budget.name } };
        return { content: [{ type: 'text', text }], structuredContent: structured };
      } catch (error) {
        return errorResult(answers, error, 'refresh_budget');
      }
    },
  );
  server.registerResource(
    'status',
    STATUS_URI,
    { title: 'Status', description: 'What get_status tells.', mimeType: 'application/json' },
    async (uri) => {
      try {
        const text = JSON.stringify(statusOf(await client.status(caller), parts));
        return { contents: [{ uri: uri.href, mimeType: 'application/json', text }] };
      } catch (error) {
        const message = answers.explainError(error, STATUS_URI);
        throw new ProtocolError(ProtocolErrorCode.InternalError, message, { uri: uri.href });
      }
    },
  );
}

const iso = (milliseconds: number) => new Date(milliseconds).toISOString();

type Status = z.output<typeof statusSchema>;

function statusOf(
  { requests, replicas, hits, writes, token, read_only }: ClientStatus,
  { version, notice }: ServerToolDeps,
): Status {
  const { limit, used, left, leftForReads, nextReadAt, nextWriteAt, allBackAt } = requests;
  const { cached, ...counts } = replicas;
  return {
    requests: {
      limit,
      used,
      left,
      left_for_reads: leftForReads,
      next_read_at: iso(nextReadAt),
      next_write_at: iso(nextWriteAt),
      all_back_at: iso(allBackAt),
    },
    cache: { ...counts, hits, held: cached.map((each) => ({ ...each, as_of: iso(each.as_of) })) },
    token: tokenOf(token),
    writes: writes.map((each) => ({ ...each, called_at: iso(each.called_at) })),
    read_only,
    version,
    ...(notice !== undefined && { notice }),
  };
}

function tokenOf(token: ClientStatus['token']): Status['token'] {
  if (token instanceof BudgetError) return { problem: token.explanation };
  const { kind, scope, expiresAt, place } = token;
  return {
    kind,
    scope: scope ?? 'unknown',
    place,
    ...(expiresAt !== undefined && { expires_at: iso(expiresAt) }),
  };
}

function lineOf({ requests, cache, token, writes, read_only, version, notice }: Status): string {
  const held = cache.held.map(
    ({ budget_id, as_of, bytes }) =>
      `  budget ${word(budget_id)} as of ${as_of}, ${Math.ceil(bytes / 1024)} KiB`,
  );
  return [
    `Requests in this hour: ${requests.used} of ${requests.limit} used, ${requests.left} left (${requests.left_for_reads} for reading); all back at ${requests.all_back_at}.`,
    `Held: ${cache.held.length} budgets; ${cache.hits} answers without a request, ${cache.syncs} syncs, ${cache.loads} loads.`,
    ...held,
    ...cache.too_large.map((id) => `  budget ${word(id)} is too large to hold`),
    ...cache.failing.map((id) => `  budget ${word(id)} could not be loaded as a whole just now`),
    ...writes.map(lineOfWrite),
    lineOfToken(token),
    `${read_only ? 'Read only. ' : ''}budget-mcp ${version}.`,
    notice,
  ]
    .filter(Boolean)
    .join('\n');
}

const states: Readonly<Record<z.output<typeof writeState>, string>> = {
  waiting: 'not sent yet',
  sent: 'sent, not answered yet',
  being_looked_for: 'its answer was lost, and it is being looked for',
  written: 'written; you were not told',
  not_written: 'not written; you were not told',
  unknown: 'it is not known whether it was written',
};

const lineOfWrite = ({ tool, called_at, budget_id, state }: Status['writes'][number]) =>
  `Write: ${tool} of ${called_at} in budget ${word(budget_id)}: ${states[state]}.`;

function lineOfToken({ kind, scope, place, expires_at, problem }: Status['token']): string {
  if (problem !== undefined) return problem;
  const end = expires_at === undefined ? '' : `, ends ${expires_at}`;
  return `Token: ${kind}, scope ${scope}, from ${place}${end}.`;
}
