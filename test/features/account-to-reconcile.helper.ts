/** A server with a new account, into which a test enters what it needs before the budget is read. */
import { onTestFinished } from 'vitest';
import { VIEW_DATA_KEY } from '../../src/answers/view-data/version.ts';
import { fixedTokenProvider } from '../../src/auth/token-provider.ts';
import type { ServerDeps } from '../../src/mcp/server.ts';
import { createAccount } from '../../src/service/ledger/accounts.ts';
import {
  addTransaction,
  type TransactionInput,
  updateTransaction,
} from '../../src/service/ledger/transactions.ts';
import { startService } from '../../src/service/server.ts';
import { BudgetClient, type BudgetClientOptions } from '../../src/session/budget-client.ts';
import { HttpSender } from '../../src/session/http/http-sender.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { hostOf } from '../mcp/connected.helper.ts';
import { startHolding } from '../session/holding.helper.ts';

export const TODAY = '2026-11-21';

type Entered = Partial<TransactionInput> & { readonly amount: number };

/** The account has 1,000 that are reconciled, from 2026-10-01. Amounts are in milliunits. */
export async function startToReconcile(options: Partial<BudgetClientOptions> = {}) {
  const started = await startHolding(options, { rateLimit: 90_000 });
  const { ledger } = started;
  const account = ledger.commit((books) =>
    createAccount(books, { name: 'Giro', type: 'checking', balance: 1_000_000, date: '2026-10-01' }),
  );
  for (const { id, account_id } of ledger.transactions(undefined))
    if (account_id === account.id)
      ledger.commit((books) => updateTransaction(books, id, { cleared: 'reconciled' }));

  const enterAll = (all: readonly Entered[]) =>
    ledger.commit((books) =>
      all.map((each) => addTransaction(books, { account_id: account.id, date: TODAY, ...each }).id),
    );

  /** A server of its own, which does not ask by default, its results as text, and the data of its views. */
  const connect = async (
    more: Partial<Omit<ServerDeps, 'client' | 'clock'>> = {},
    caller?: string,
    client = started.client,
  ) => {
    const host = await hostOf({ client, clock: started.clock }, { confirm: 'none', ...more }, caller);
    await host.listTools();
    return async (name: string, args: object = {}) => {
      const given = { account: 'Giro', ...args };
      const {
        content,
        structuredContent,
        isError = false,
        _meta,
      } = await host.callTool({ name, arguments: given });
      const text = content.map((each) => (each.type === 'text' ? each.text : '')).join('\n');
      return { text, isError, data: structuredContent, view: _meta?.[VIEW_DATA_KEY] };
    };
  };

  return {
    ...started,
    account,
    connectHost: connect,
    enterAll,
    enter: (each: Entered) => enterAll([each])[0] ?? '',
    change: (id: string, change: Partial<TransactionInput>) =>
      ledger.commit((books) => updateTransaction(books, id, change)),
    /** The account's transactions, by id. */
    register: () =>
      new Map(
        ledger
          .transactions(undefined)
          .filter(({ account_id, deleted }) => account_id === account.id && !deleted)
          .map((each) => [each.id, each]),
      ),
  };
}

/** A host of a server that does not ask, with the whole demo budget on the day of the examples. */
export async function startDemo() {
  const clock = new ManualClock(`${TODAY}T12:00:00Z`);
  const service = await startService({ clock });
  onTestFinished(() => service.close());
  const sender = new HttpSender({ clock });
  onTestFinished(() => sender.close());
  const tokens = fixedTokenProvider({ baseUrl: service.baseUrl, token: service.accessToken });
  const client = new BudgetClient({ tokens, sender, clock, cacheBytes: 2 ** 26 });
  const host = await hostOf({ client, clock }, { confirm: 'none' });
  await host.listTools();
  return host;
}
