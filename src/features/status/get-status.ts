/** Reports the remaining requests, the cached budgets, the token, and writes whose outcome the host did not get. */
import { z } from 'zod';
import packageJson from '../../../package.json' with { type: 'json' };
import { type TextPart, word } from '../../answers/text.ts';
import { defineTool } from '../../answers/tool.ts';
import { defaultReasons, describeDefault, type ListedBudget } from '../../base/default-budget.ts';
import { BudgetError } from '../../base/errors.ts';
import type { ClientStatus } from '../../session/client-status.ts';
import type { WriteStatus } from '../../session/writes/pending-write.ts';

const time = z.string();

const writeState = z.enum([
  'waiting',
  'sent',
  'being_looked_for',
  'written',
  'partly_written',
  'not_written',
  'unknown',
]);

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
    budgets: z.array(
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
  writes: z.array(
    z.object({
      tool: z.string(),
      budget_id: z.string(),
      called_at: time,
      state: writeState,
      earlier_run: z.literal(true).optional(),
    }),
  ),
  read_only: z.boolean(),
  state: z.object({ shared: z.boolean(), reason: z.string().optional() }),
  clock: z.string().optional(),
  /** As far as the budgets are known. */
  default_budget: z.object({ id: z.string(), name: z.string(), by: z.enum(defaultReasons) }).optional(),
  version: z.string(),
});

type Status = z.output<typeof statusSchema>;

export const getStatus = defineTool({
  name: 'get_status',
  title: 'Get status',
  description:
    'Is it connected, current (the newest numbers or old ones), allowed to write or only to look? Requests used and left until the limit, cached budgets, writes whose outcome you did not get.',
  kind: 'read',
  input: z.strictObject({}),
  output: statusSchema,
  resource: 'budget://status',
  isAboutServer: true,
  example: {},
  run: async (call) => ({ data: statusOf(await call.status()) }),
  text: ({ data }) => ({ lines: formatStatus(data) }),
});

const isoTime = (milliseconds: number) => new Date(milliseconds).toISOString();

function statusOf(status: ClientStatus): Status {
  const { requests, replicas, hits, writes, token, read_only, clock, default_budget } = status;
  const { hasFailed: _, ...state } = status.state;
  const { limit, used, left, leftForReads, nextReadAt, nextWriteAt, allBackAt } = requests;
  const { cached, ...counts } = replicas;
  return {
    requests: {
      limit,
      used,
      left,
      left_for_reads: leftForReads,
      next_read_at: isoTime(nextReadAt),
      next_write_at: isoTime(nextWriteAt),
      all_back_at: isoTime(allBackAt),
    },
    cache: { ...counts, hits, budgets: cached.map((each) => ({ ...each, as_of: isoTime(each.as_of) })) },
    token: tokenOf(token),
    writes: writes.map((each) => ({ ...each, called_at: isoTime(each.called_at) })),
    read_only,
    state,
    ...(clock !== undefined && { clock }),
    ...(default_budget && { default_budget: { ...idAndName(default_budget.budget), by: default_budget.by } }),
    version: packageJson.version,
  };
}

const idAndName = ({ id, name }: ListedBudget) => ({ id, name });

function tokenOf(token: ClientStatus['token']): Status['token'] {
  if (token instanceof BudgetError) return { problem: token.explanation };
  const { kind, scope, expiresAt, place } = token;
  return {
    kind,
    scope: scope ?? 'unknown',
    place,
    ...(expiresAt !== undefined && { expires_at: isoTime(expiresAt) }),
  };
}

function formatStatus(status: Status): TextPart[] {
  const { requests, cache, token, writes, read_only, state, clock, default_budget, version } = status;
  const budgets = cache.budgets.map(
    ({ budget_id, as_of, bytes }) =>
      `  budget ${word(budget_id)} as of ${as_of}, ${Math.ceil(bytes / 1024)} KiB`,
  );
  return [
    `Requests in this hour: ${requests.used} of ${requests.limit} used, ${requests.left} left (${requests.left_for_reads} for reading); all back at ${requests.all_back_at}.`,
    `Cached: ${cache.budgets.length} budgets; ${cache.hits} answers without a request, ${cache.syncs} syncs, ${cache.loads} loads.`,
    ...budgets,
    ...cache.too_large.map((id) => `  budget ${word(id)} is too large to cache`),
    ...cache.failing.map((id) => `  budget ${word(id)} could not be loaded as a whole just now`),
    ...writes.map(formatWrite),
    formatToken(token),
    formatState(state),
    clock !== undefined && clock,
    default_budget && `Default budget: ${describeDefault(default_budget)}.`,
    `${read_only ? 'Read only. ' : ''}budget-mcp ${version}.`,
  ];
}

const stateTexts: Readonly<Record<z.output<typeof writeState>, string>> = {
  waiting: 'not sent yet',
  sent: 'sent and not answered yet, so that it is not known whether it was written',
  being_looked_for:
    'its response was lost, it is not known whether it was written, and the server is still looking for it',
  written: 'written; you did not get the outcome',
  partly_written: 'written in part; the same call says which',
  not_written: 'not written; you did not get the outcome',
  unknown: 'it is not known whether it was written',
};

export const describeWrite = ({ called_at, ...write }: WriteStatus) =>
  formatWrite({ ...write, called_at: isoTime(called_at) });

const formatWrite = ({ tool, called_at, budget_id, state, ...write }: Status['writes'][number]) =>
  `Write${write.earlier_run ? ' of an earlier run of this server' : ''}: ${tool} of ${called_at} in budget ${word(budget_id)}: ${stateTexts[state]}.`;

const formatState = ({ shared, reason }: Status['state']) =>
  shared
    ? 'State: shared with the other processes of this user.'
    : `State: only in the memory of this process, which does not know what others write. ${reason ?? ''}`.trimEnd();

function formatToken({ kind, scope, place, expires_at, problem }: Status['token']): string {
  if (problem !== undefined) return problem;
  const ending = expires_at === undefined ? '' : `, ends ${expires_at}`;
  return `Token: ${kind}, scope ${scope}, from ${place}${ending}.`;
}
