/** Syncs the cached budget now. Other tools sync when the cache is too old, so this is for a user who does not want to wait. */
import { z } from 'zod';
import { defineTool } from '../../answers/tool.ts';
import { budgetId, flag, integer } from '../../base/schema/fields.ts';

export const refreshBudget = defineTool({
  name: 'refresh_budget',
  title: 'Refresh budget',
  description:
    'Syncs now (full: loads again). Other tools reuse data some seconds old: call this for what was added or imported "just now".',
  kind: 'read',
  input: z.strictObject({ budget_id: budgetId, full: flag.optional() }),
  output: z.object({ server_knowledge: integer, bytes: integer }),
  example: {},
  async run(call, { full = false }) {
    const { replica, freshness } = await call.refresh(full);
    return { data: { server_knowledge: replica.knowledge, bytes: replica.bytes }, freshness };
  },
  text: ({ freshness }) => ({
    heading: [freshness?.stale_reason === undefined ? 'up to date' : 'not up to date'],
    lines: [],
  }),
});
