/**
 * The embedded service with its example budgets, and direct reads over plain HTTP without the tested client. Tests of
 * writes compare with these reads.
 */
import { z } from 'zod';
import { dateOf, systemClock } from '../src/base/clock.ts';
import type { HouseholdSize } from '../src/service/demo-data/household-size.ts';
import { type Service, startService } from '../src/service/server.ts';

const dataSchema = z.object({ data: z.record(z.string(), z.unknown()) });
const withKnowledge = z.object({ server_knowledge: z.int() });
const entity = z.looseObject({ id: z.string(), name: z.string() });
const account = z.looseObject({
  id: z.string(),
  name: z.string(),
  balance: z.int(),
  closed: z.boolean(),
  transfer_payee_id: z.string().nullable(),
});
const category = z.looseObject({ id: z.string(), name: z.string(), balance: z.int(), budgeted: z.int() });

function named<Named extends { name: string }>(rows: readonly Named[], name: string): Named {
  const found = rows.find((row) => row.name === name);
  if (!found) throw new Error(`The household has no ${name}.`);
  return found;
}

export class Household {
  readonly service: Service;
  readonly budgetId: string;
  /** The date of the test, UTC. */
  readonly today = dateOf(systemClock.now());

  private constructor(service: Service, budgetId: string) {
    this.service = service;
    this.budgetId = budgetId;
  }

  static async start(
    size: HouseholdSize & { readonly rateLimit?: number; readonly untidy?: boolean } = {},
  ): Promise<Household> {
    const service = await startService({ clock: systemClock, rateLimit: 100_000, ...size });
    return new Household(service, service.user.ledgers[0]?.id ?? '');
  }

  /** The settings that sign a server in, by default with the owner's token. */
  env(token = this.service.accessToken): Record<string, string> {
    return { BUDGET_MCP_BASE_URL: this.service.baseUrl, BUDGET_MCP_TOKEN: token };
  }

  /** The `data` of a resource of a budget. Undefined if it does not exist. */
  async get(path: string, budgetId = this.budgetId): Promise<Record<string, unknown> | undefined> {
    const response = await fetch(`${this.service.baseUrl}/budgets/${budgetId}/${path}`, {
      // The service is in this process, and may close an idle connection while the test keeps the process busy.
      headers: { authorization: `Bearer ${this.service.accessToken}`, connection: 'close' },
    });
    return response.status === 404 ? undefined : dataSchema.parse(await response.json()).data;
  }

  /** Increases with every write. */
  async knowledge(budgetId = this.budgetId): Promise<number> {
    return withKnowledge.parse(await this.get('payees', budgetId)).server_knowledge;
  }

  async transaction(id: unknown): Promise<unknown> {
    return (await this.get(`transactions/${id}`))?.['transaction'];
  }

  async accounts(budgetId = this.budgetId) {
    return z.array(account).parse((await this.get('accounts', budgetId))?.['accounts']);
  }

  /** Writes to the budget without the tested server. Resolves with the `data` of the response. */
  async write(
    method: 'POST' | 'PUT' | 'PATCH',
    path: string,
    body: object,
  ): Promise<Record<string, unknown>> {
    const response = await fetch(`${this.service.baseUrl}/budgets/${this.budgetId}/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.service.accessToken}`,
        'content-type': 'application/json',
        connection: 'close',
      },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`The service answered ${response.status}.`);
    return dataSchema.parse(await response.json()).data;
  }

  /** Changes a transaction without the tested server. */
  async patch(id: string, transaction: Record<string, unknown>): Promise<void> {
    await this.write('PUT', `transactions/${id}`, { transaction });
  }

  async account(name: string) {
    return named(await this.accounts(), name);
  }

  async category(name: string) {
    const data = await this.get('categories');
    const groups = z.array(z.object({ categories: z.array(category) })).parse(data?.['category_groups']);
    return named(
      groups.flatMap(({ categories }) => categories),
      name,
    );
  }

  async payee(name: string) {
    return named(z.array(entity).parse((await this.get('payees'))?.['payees']), name);
  }

  close(): Promise<void> {
    return this.service.close();
  }
}
