/** Brings what is cached of a budget up to date. Answers sync by themselves: this is for a person who wants it now. */
import { z } from 'zod';
import { budgetId, flag, integer } from '../schema/fields.ts';
import type { ReadTool } from './tool.ts';

const input = z.strictObject({ budget_id: budgetId, full: flag.optional() });

export const refreshBudget: ReadTool = {
  name: 'refresh_budget',
  title: 'Refresh budget',
  description: 'Syncs the cache now (full: loads it anew). Answers sync by themselves.',
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
