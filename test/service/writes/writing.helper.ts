/** A small budget over HTTP for tests of writes, at noon on 20 January 2026. */
import { expect } from 'vitest';
import { z } from 'zod';
import { createAccount, updateAccount } from '../../../src/service/ledger/accounts.ts';
import { updateCategory } from '../../../src/service/ledger/categories.ts';
import type { Ledger } from '../../../src/service/ledger.ts';
import { type Service, type ServiceOptions, startService } from '../../../src/service/server.ts';
import { ManualClock } from '../../manual-clock.helper.ts';
import { expectBalanced } from '../ledger/balanced.helper.ts';
import { START, smallLedger } from '../ledger/random-changes.helper.ts';
import { bearer } from '../running-service.helper.ts';
import * as wire from '../wire.helper.ts';

export const UNKNOWN = '11111111-1111-4111-8111-111111111111';

export type WritingService = Service & { clock: ManualClock };

export async function startWritingService(options: Partial<ServiceOptions> = {}): Promise<WritingService> {
  const clock = new ManualClock(START);
  const service = await startService({ clock, rateLimit: 1_000_000, transactions: 10, ...options });
  return Object.assign(service, { clock });
}

const Saved = z.strictObject({
  data: z.strictObject({
    transaction_ids: z.array(z.string()),
    transaction: wire.TransactionDetail,
    server_knowledge: z.int(),
  }),
});

const Refusal = z.strictObject({
  error: z.strictObject({ id: z.string(), name: z.string(), detail: z.string() }),
});

export type Transaction = z.output<typeof wire.TransactionDetail>;

interface WriteResponse {
  readonly status: number;
  readonly body: unknown;
}

/** A new budget of a new user, lookups of ids by name, and writes to it. */
export class Budget {
  readonly ledger: Ledger = smallLedger();
  readonly #url: string;
  readonly headers: Record<string, string>;

  constructor(service: WritingService, terms: { scope?: 'read-only' } = {}) {
    this.ledger.commit((state) => {
      const { id } = createAccount(state, { name: 'Old', type: 'cash', balance: 0 });
      updateAccount(state, id, { closed: true });
      updateCategory(state, this.category('Bills 1'), {
        goal: {
          type: 'TB',
          target: 90_000,
          creation_month: '2026-01-01',
          target_date: null,
          needs_whole_amount: null,
          day: null,
          cadence: 0,
          cadence_frequency: 1,
          snoozed_at: null,
        },
      });
    });
    this.#url = `${service.baseUrl}/budgets/${this.ledger.id}`;
    const user = service.access.addUser([this.ledger]);
    this.headers = bearer(service.access.issueToken(user, terms));
  }

  account(name: string): string {
    return idOf(this.ledger.state.accounts.values(), name);
  }
  category(name: string): string {
    return idOf(this.ledger.state.categories.values(), name);
  }
  group(name: string): string {
    return idOf(this.ledger.state.groups.values(), name);
  }
  payee(name: string): string {
    return idOf(this.ledger.state.payees.values(), name);
  }
  transferTo(name: string): string {
    return this.payee(`Transfer : ${name}`);
  }
  balance(name: string): number | undefined {
    return this.ledger.account(this.account(name))?.balance;
  }

  /** Sends `body` as JSON, or unchanged if it is text. `headers` are added. */
  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<WriteResponse> {
    const response = await fetch(this.#url + path, {
      method,
      headers: { ...this.headers, 'Content-Type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  }

  /** A transaction of 10 units of cash spent today from Checking, with changes. */
  spending(fields: Record<string, unknown> = {}): Record<string, unknown> {
    return { account_id: this.account('Checking'), date: '2026-01-20', amount: -10_000, ...fields };
  }

  /** Creates a transaction and returns the one of the response. */
  async create(fields: Record<string, unknown> = {}): Promise<Transaction> {
    const { status, body } = await this.send('POST', '/transactions', { transaction: this.spending(fields) });
    expect([status, body]).toEqual([201, expect.anything()]);
    return Saved.parse(body).data.transaction;
  }

  async update(id: string, fields: Record<string, unknown>): Promise<Transaction> {
    const { status, body } = await this.send('PUT', `/transactions/${id}`, { transaction: fields });
    expect([status, body]).toEqual([200, { data: expect.anything() }]);
    const data = z.strictObject({ transaction: wire.TransactionDetail, server_knowledge: z.int() });
    return z.strictObject({ data }).parse(body).data.transaction;
  }

  /** Reads a transaction. Undefined if there is none. */
  async read(id: string): Promise<Transaction | undefined> {
    const { status, body } = await this.send('GET', `/transactions/${id}`);
    if (status === 404) return undefined;
    const data = z.object({ transaction: wire.TransactionDetail });
    return z.object({ data }).parse(body).data.transaction;
  }

  /** `status detail` of a write that must fail and must change nothing. */
  async refusal(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
    const before = this.snapshot();
    const response = await this.send(method, path, body, headers);
    const { error } = Refusal.parse(response.body);
    this.expectUnchanged(before);
    return `${error.id} ${error.detail}`;
  }

  /** The refusal of one new transaction. */
  createRefused(fields: Record<string, unknown>): Promise<string> {
    return this.refusal('POST', '/transactions', { transaction: this.spending(fields) });
  }

  /** Checks that nothing changed. Another commit would reveal pending changes in the state. */
  expectUnchanged(before: ReturnType<Budget['snapshot']>): void {
    expect(this.snapshot()).toEqual(before);
    const { ledger } = this;
    const { knowledge } = ledger;
    ledger.commit(() => undefined);
    const { accounts, categories, transactions, ...rest } = ledger.detail(knowledge);
    expect([accounts, categories, transactions]).toEqual([[], [], []]);
    expect(Object.values(rest).flatMap((value): unknown[] => (Array.isArray(value) ? value : []))).toEqual(
      [],
    );
  }

  snapshot() {
    const { ledger } = this;
    return [ledger.knowledge, ledger.detail(), ledger.transactions(undefined), ledger.detail(0)];
  }

  expectBalanced(): void {
    expectBalanced(this.ledger);
  }
}

function idOf(rows: Iterable<{ id: string; name: string }>, name: string): string {
  for (const row of rows) if (row.name === name) return row.id;
  throw new Error(`nothing is named ${name}`);
}
