/** A person who is away, with an assistant that has subscribed, and transactions that come in. */
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import type { EventReceiver } from './event-receiver.helper.ts';
import { Account } from './hosted-program.helper.ts';
import type { Machines } from './machines.helper.ts';
import type { PeopleService, ServicePerson } from './people-service.helper.ts';
import { DistantBrowser, signInOnPages } from './sign-in-pages.helper.ts';

const EVERY_MS = 3_000;
const RENEW_EVERY_MS = 15_000;
const AMOUNT = 1_000;
const VERSION = 'io.modelcontextprotocol/protocolVersion';

const accounts = z.object({ accounts: z.array(z.object({ id: z.string(), on_budget: z.boolean() })) });
const categories = z.object({
  category_groups: z.array(z.object({ categories: z.array(z.object({ id: z.string(), name: z.string() })) })),
});
const created = z.object({ transaction: z.object({ id: z.string() }) });
/** Also the answer to a second try, if that to the first one was lost. */
const ended = z.union([
  z.object({ result: z.object({}) }),
  z.object({ error: z.object({ code: z.literal(-32_011) }) }),
]);
const answered = z.object({
  result: z.looseObject({ cursor: z.string().optional(), truncated: z.boolean().optional() }),
});

export class WatchingPerson {
  readonly person: ServicePerson;
  readonly nth: number;
  readonly address: string;
  /** When each transaction was created. */
  readonly created = new Map<string, number>();
  /** When the server last said that something is missing. */
  truncatedAt = Number.NEGATIVE_INFINITY;
  endedAt = Number.POSITIVE_INFINITY;
  /** Every second person watches what is earned, the others what is spent. */
  readonly #earns: boolean;
  readonly #machines: Machines;
  readonly #service: PeopleService;
  readonly #browser: DistantBrowser;
  readonly #secret = `whsec_${randomBytes(32).toString('base64')}`;
  #token = '';
  /** The position of the last answer. */
  #cursor: string | null = null;

  constructor(nth: number, machines: Machines, service: PeopleService) {
    const person = service.people[nth];
    if (!person) throw new Error(`There is no person ${nth}.`);
    this.person = person;
    this.nth = nth;
    this.#earns = nth % 2 === 1;
    this.#machines = machines;
    this.#service = service;
    this.#browser = new DistantBrowser(nth, [machines.issuer, service.appUrl]);
    this.address = `${nth % 3 === 2 ? 'rebinding' : 'receiver'}.test/${nth}`;
  }

  async begin(receiver: EventReceiver): Promise<void> {
    const { issuer, url } = this.#machines;
    const options = {
      browser: this.#browser,
      decision: 'allow',
      clientName: 'Assistant',
      away: true,
    } as const;
    await untilDone(async () => {
      const { tokens } = await signInOnPages({ issuer, resource: url }, this.person, options);
      this.#token = tokens.access_token;
    });
    receiver.expect(this.address, this.#secret);
    // The first challenge is answered wrongly, and an address can be a private one just now.
    await untilDone(() => this.ask('events/subscribe'));
  }

  /** `events/subscribe` or `events/unsubscribe`. Throws unless it was done. */
  async ask(method: string): Promise<void> {
    const _meta = {
      [VERSION]: '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    };
    const params = {
      ...(this.#earns
        ? { name: 'income_arrived', arguments: {} }
        : { name: 'large_transaction', arguments: { amount: AMOUNT } }),
      cursor: this.#cursor,
      delivery: { mode: 'webhook', url: `https://${this.address}`, secret: this.#secret },
      _meta,
    };
    const response = await fetch(this.#machines.url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.#token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...this.#browser.headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const answer: unknown = await response.json();
    if (method === 'events/unsubscribe') return void ended.parse(answer);
    const { cursor, truncated } = answered.parse(answer).result;
    this.#cursor = cursor ?? null;
    if (truncated) this.truncatedAt = performance.now();
  }

  /** Transactions come in, and the client renews what it watches, until a moment of the monotonic clock. */
  async live(until: number): Promise<void> {
    const { budgetId } = this.person;
    const own = accounts.parse(await this.#service.get(this.person, `/budgets/${budgetId}/accounts`));
    const account_id = own.accounts.find(({ on_budget }) => on_budget)?.id;
    const path = `/budgets/${budgetId}/categories`;
    const { category_groups } = categories.parse(await this.#service.get(this.person, path));
    const ready = category_groups
      .flatMap((group) => group.categories)
      .find(({ name }) => name === 'Inflow: Ready to Assign');
    const amount = 2 * AMOUNT * 1_000;
    const wanted = this.#earns ? { amount, category_id: ready?.id } : { amount: -amount };
    let renewAt = performance.now() + Math.random() * RENEW_EVERY_MS;
    while (performance.now() < until) {
      const date = new Date().toISOString().slice(0, 10);
      const transaction = { account_id, date, payee_name: 'Shop', ...wanted };
      const path = `/budgets/${budgetId}/transactions`;
      const row = created.parse(await this.#service.post(this.person, path, { transaction }));
      this.created.set(row.transaction.id, performance.now());
      if (performance.now() > renewAt && this.endedAt === Number.POSITIVE_INFINITY) {
        renewAt += RENEW_EVERY_MS;
        await this.ask('events/subscribe').catch(() => {});
      }
      await setTimeout(EVERY_MS * (0.5 + Math.random()));
    }
  }

  /** The person ends the access on the account page, or the client ends its watch. */
  async end(): Promise<void> {
    // Nothing is renewed while it ends.
    this.endedAt = Number.MAX_VALUE;
    if (this.nth % 4 === 1) await untilDone(() => this.ask('events/unsubscribe'));
    else await untilDone(() => this.#revoke());
    this.endedAt = performance.now();
  }

  async #revoke(): Promise<void> {
    const account = await Account.open(this.#machines.issuer, this.#browser, this.person);
    const [grant] = account.grants;
    if (account.view.status !== 200) throw new Error('There is no account page now.');
    if (grant === undefined) return;
    const { status } = await account.submit('revoke', { grant });
    if (status !== 200 || account.grants.length > 0) throw new Error('The access has not ended.');
  }

  get hasEnded(): boolean {
    return this.endedAt < Number.MAX_VALUE;
  }
}

/** A client tries again what a server did not do. */
async function untilDone(work: () => Promise<void>): Promise<void> {
  for (let tries = 0; ; tries += 1)
    try {
      return await work();
    } catch (error) {
      if (tries === 60) throw error;
      await setTimeout(500);
    }
}
