/** Syncs the cached budget now. Other tools sync when the cache is too old, so this is for a user who does not want to wait. */
import { z } from 'zod';
import type { ReadTool } from '../../answers/tool.ts';
import { budgetId, flag, integer } from '../../base/schema/fields.ts';

const input = z.strictObject({ budget_id: budgetId, full: flag.optional() });

export const refreshBudget: ReadTool = {
  name: 'refresh_budget',
  title: 'Refresh budget',
  description:
    'Syncs now (full: loads again). Seldom needed: other tools sync by themselves, also what was just added on the phone.',
  kind: 'read',
  input,
  output: z.object({ server_knowledge: integer, bytes: integer }),
  example: {},
  async run(call, args) {
    const { full = false } = input.parse(args);
    const { replica, freshness } = await call.refresh(full);
    return { data: { server_knowledge: replica.knowledge, bytes: replica.bytes }, freshness };
  },
  text: ({ freshness }) => ({
    heading: [freshness?.stale_reason === undefined ? 'up to date' : 'not up to date'],
    lines: [],
  }),
};
