/**
 * The paths `/plans/…`: the operations of `/budgets/…` under a newer name. Budgets are called plans in their answers
 * (docs/interface.md, Plans). The routes know budgets only.
 */
import { getPath } from 'hono/utils/url';

const PLANS = /^\/v1\/plans(?=\/|$)/;

const planNames: Readonly<Record<string, string>> = {
  budget: 'plan',
  budgets: 'plans',
  default_budget: 'default_plan',
};

/** The path by which a request finds its route. */
export function budgetPath(request: Request): string {
  return getPath(request).replace(PLANS, '/v1/budgets');
}

export function isForPlans(request: Request): boolean {
  return PLANS.test(getPath(request));
}

/** Renames the keys of the `data` of an answer. */
export function withPlanNames(data: object): object {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [planNames[key] ?? key, value]));
}
