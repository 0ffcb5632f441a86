/** A source of budgets that answers when the test wants it to, with what the service would say at that moment. */
import { BudgetError } from '../../src/errors.ts';
import type { Export } from '../../src/replica/entities.ts';
import type { ReplicaSource } from '../../src/replica/replica-cache.ts';
import type { Asked } from './asked.ts';

export interface Request {
  readonly budgetId: string;
  readonly since: number | undefined;
  readonly signal: AbortSignal;
  answer(spoil?: (data: Export) => Export): Promise<void>;
  fail(error?: unknown): void;
}

export const unavailable = new BudgetError('service_unavailable', 'In maintenance.');

export function patientSource(service: (budgetId: string) => Asked) {
  const requests: Request[] = [];
  const source: ReplicaSource = (budgetId, since, signal) =>
    new Promise((resolve, reject) => {
      requests.push({
        budgetId,
        since,
        signal,
        answer: async (spoil = (data) => data) => resolve(spoil(await service(budgetId).export(since))),
        fail: (error = unavailable) => reject(error),
      });
    });
  return { requests, source };
}
