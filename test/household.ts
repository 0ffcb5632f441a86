/**
 * The embedded service with its invented budgets, and what it says of them over plain HTTP, with nothing of ours in
 * between: what a test of writing looks at.
 */
import { z } from 'zod';
import { dateOf, systemClock } from '../src/platform/clock.ts';
import { type Service, startService } from '../src/service/server.ts';

const dataSchema = z.object({ data: z.record(z.string(), z.unknown()) });
const withKnowledge = z.object({ server_knowledge: z.int() });
const thing = z.looseObject({ id: z.string(), name: z.string() });
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
  /** The day on which all of it happens, UTC. */
  readonly today = dateOf(systemClock.now());

  private constructor(service: Service, budgetId: string) {
    this.service = service;
    this.budgetId = budgetId;
  }

  static async start(): Promise<Household> {
    const service = await startService({ clock: systemClock, rateLimit: 100_000 });
    return new Household(service, service.user.ledgers[0]?.id ?? '');
  }

  /** What signs a server in; by default with the owner's own token. */
  env(token = this.service.accessToken): Record<string, string> {
    return { BUDGET_MCP_BASE_URL: this.service.baseUrl, BUDGET_MCP_TOKEN: token };
  }

  /** `data` of a resource of a budget; undefined where there is none. */
  async get(path: string, budgetId = this.budgetId): Promise<Record<string, unknown> | undefined> {
    const response = await fetch(`${this.service.baseUrl}/budgets/${budgetId}/${path}`, {
      headers: { authorization: `Bearer ${this.service.accessToken}` },
    });
    return response.status === 404 ? undefined : dataSchema.parse(await response.json()).data;
  }

  /** Grows with every write, whatever it is about. */
  async knowledge(budgetId = this.budgetId): Promise<number> {
    return withKnowledge.parse(await this.get('payees', budgetId)).server_knowledge;
  }

  async transaction(id: unknown): Promise<unknown> {
    return (await this.get(`transactions/${id}`))?.['transaction'];
  }

  async accounts(budgetId = this.budgetId) {
    return z.array(account).parse((await this.get('accounts', budgetId))?.['accounts']);
  }

  /** Changes a transaction behind the server's back. */
  async patch(id: string, transaction: Record<string, unknown>): Promise<void> {
    const response = await fetch(`${this.service.baseUrl}/budgets/${this.budgetId}/transactions/${id}`, {
      method: 'PUT',
      headers: {
        authorization: `Bearer ${this.service.accessToken}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ transaction }),
    });
    if (!response.ok) throw new Error(`The service answered ${response.status}.`);
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
    return named(z.array(thing).parse((await this.get('payees'))?.['payees']), name);
  }

  close(): Promise<void> {
    return this.service.close();
  }
}
