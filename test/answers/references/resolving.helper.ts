/** A host whose arguments name things, over a connection that records what is sent. */
import { expect, onTestFinished } from 'vitest';
import { References } from '../../../src/answers/references/references.ts';
import type { BudgetClientOptions } from '../../../src/session/budget-client.ts';
import { HttpSender } from '../../../src/session/http/http-sender.ts';
import { hostOf } from '../../mcp/connected.helper.ts';
import { startHolding } from '../../session/holding.helper.ts';

/** Keeps everything that is sent, as one text. */
class RecordingSender extends HttpSender {
  sent = '';

  override exchange(...exchange: Parameters<HttpSender['exchange']>): ReturnType<HttpSender['exchange']> {
    const [{ method, url, body }] = exchange;
    this.sent += `${method} ${decodeURIComponent(url)} ${body ?? ''}\n`;
    return super.exchange(...exchange);
  }
}

export async function started(options: Partial<BudgetClientOptions> = {}) {
  const holding = await startHolding();
  const { connect, service, ledger, clock } = holding;
  const sender = new RecordingSender({ clock });
  onTestFinished(() => sender.close());
  const client = connect(service.accessToken, { sender, ...options });
  const host = await hostOf({ client, clock });
  const call = async (name: string, args: Record<string, unknown>) => {
    const { content, isError = false } = await host.callTool({ name, arguments: args });
    return { text: content.map((each) => (each.type === 'text' ? each.text : '')).join('\n'), isError };
  };
  const account = (name: string) =>
    ledger.accounts().find((each) => each.name === name) ?? expect.unreachable(name);
  const categories = () => ledger.categoryGroups().flatMap((group) => group.categories);
  const category = (name: string) =>
    categories().find((each) => each.name === name) ?? expect.unreachable(name);
  const newest = () =>
    ledger.transactions(undefined).toSorted((a, b) => (a.date < b.date ? 1 : -1))[0] ?? expect.unreachable();
  /** The references of the cached budget. */
  const references = async () => {
    const begun = client.begin();
    await begun.resolveBudget(undefined);
    return References.of((await begun.replica())?.replica ?? expect.unreachable());
  };
  return { ...holding, client, host, call, sender, account, category, newest, references };
}

export const today = '2026-11-21';
