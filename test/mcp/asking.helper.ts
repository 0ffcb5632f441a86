/**
 * Servers that ask the user before they write, with hosts of both protocol eras, on a manual clock. They use a real client
 * and the embedded service over HTTP.
 */

import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../src/base/json.ts';
import { createServer, createSharedState } from '../../src/mcp/server.ts';
import { listAccounts } from '../../src/operations/accounts.ts';
import type { ConfirmPolicy } from '../../src/operations/consent.ts';
import { addTransaction, updateTransaction } from '../../src/service/ledger/transactions.ts';
import { callOperation } from '../call-operation.helper.ts';
import type { Person } from '../hosts.helper.ts';
import { startHolding } from '../session/holding.helper.ts';

const resultSchema = z.union([
  z.object({
    resultType: z.literal('input_required'),
    requestState: z.string(),
    inputRequests: z.object({ confirmation: z.object({ params: z.object({ message: z.string() }) }) }),
  }),
  z.object({ content: z.array(z.object({ text: z.string() })), isError: z.boolean().default(false) }),
]);

/** The text of a result, or the text of a question with its state. */
export interface Result {
  readonly text: string;
  readonly isError: boolean;
  readonly requestState?: string;
}

export type Call = (
  name: string,
  args: JsonObject,
  /** Parameters that a host of the newer era adds when it repeats a request. */
  retry?: JsonObject,
) => Promise<Result>;

/** The parameters of a host of the newer era with the user's reply to a question. */
export const reply = (action: 'accept' | 'decline' | 'cancel', requestState?: string) => ({
  inputResponses: { confirmation: { action } },
  ...(requestState !== undefined && { requestState }),
});

interface HostOptions {
  /** The caller that the host belongs to. */
  readonly caller?: string;
  /** Replies to the questions of a host of the older era. Without it the host answers "Method not found". */
  readonly person?: Person;
  /**
   * Whether the host declares elicitation. In the newer era it does by default, and its questions are results of `call`.
   * In the older era it does by default if there is a `person`.
   */
  readonly canAsk?: boolean;
}

const capabilities = (canAsk: boolean) => (canAsk ? { elicitation: { form: {} } } : {});

function callOf(host: Client): Call {
  return async (name, args, retry = {}) => {
    const params = { name, arguments: args, ...retry };
    const request = { method: 'tools/call', params };
    const result = await host.request(request, resultSchema, { allowInputRequired: true });
    if ('content' in result)
      return { text: result.content.map(({ text }) => text).join('\n'), isError: result.isError };
    const { inputRequests, requestState } = result;
    return { text: inputRequests.confirmation.params.message, isError: false, requestState };
  };
}

export async function startWithConfirmation(confirm: ConfirmPolicy = 'deletes') {
  const { client, clock, ledger, other, service } = await startHolding({}, { rateLimit: 90_000 });
  for (const _ of [1, 2]) await callOperation(client, listAccounts, {});
  const deps = { client, clock, log: { error: () => {} }, version: '0.0.0', confirm };
  const shared = createSharedState(deps);
  const handler = createMcpHandler(({ authInfo }) => createServer(deps, shared, authInfo?.clientId), {
    legacy: 'reject',
  });

  const modern = async ({ caller = '', canAsk = true }: HostOptions = {}): Promise<Call> => {
    const authInfo = { token: '', clientId: caller, scopes: [] };
    const host = new Client(
      { name: 'newer', version: '1' },
      { versionNegotiation: { mode: { pin: '2026-07-28' } }, capabilities: capabilities(canAsk) },
    );
    const fetch = (url: string | URL, init?: RequestInit) =>
      handler.fetch(new Request(url, init), { authInfo });
    await host.connect(new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch }));
    onTestFinished(() => host.close());
    return callOf(host);
  };

  const older = async ({
    caller = '',
    person,
    canAsk = person !== undefined,
  }: HostOptions = {}): Promise<Call> => {
    const host = new Client({ name: 'older', version: '1' }, { capabilities: capabilities(canAsk) });
    if (person)
      host.setRequestHandler('elicitation/create', async ({ params }) => {
        const action = await person(params.message);
        return action === 'accept' ? { action, content: {} } : { action };
      });
    const [near, far] = InMemoryTransport.createLinkedPair();
    await createServer(deps, shared, caller).connect(far);
    await host.connect(near);
    onTestFinished(() => host.close());
    return callOf(host);
  };

  const [account] = ledger.accounts();
  if (!account) throw new Error('The budget has no account.');
  const date = new Date(clock.now()).toISOString().slice(0, 10);

  return {
    clock,
    ledger,
    /** Another budget. */
    other,
    service,
    modern,
    older,
    account,
    date,
    /** Changes of the budget that do not come through the server. */
    enter: (memo: string, amount = -10) =>
      ledger.commit((books) => addTransaction(books, { account_id: account.id, date, amount, memo })).id,
    change: (id: string, change: { readonly memo?: string; readonly amount?: number }) =>
      ledger.commit((books) => updateTransaction(books, id, change)),
    exists: (id: string) => ledger.transaction(id)?.deleted === false,
  };
}
