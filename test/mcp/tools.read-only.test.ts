import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../src/features/catalogue.ts';
import type { BudgetClientOptions } from '../../src/session/budget-client.ts';
import { Arrivals } from '../arrivals.helper.ts';
import { startHolding } from '../session/holding.helper.ts';
import { hostOf } from './connected.helper.ts';

const writes = catalogue.filter(({ kind }) => kind !== 'read').map(({ name }) => name);

/** The listed tools that write. */
const offered = async (host: Client) =>
  (await host.listTools()).tools.map(({ name }) => name).filter((name) => writes.includes(name));

/** A client whose sign-in and scope the test can change. */
async function started() {
  const { connect, service, clock } = await startHolding();
  let scope: 'read-only' | undefined;
  let signIn = 0;
  const tokens: BudgetClientOptions['tokens'] = {
    credential: async () => ({
      baseUrl: service.baseUrl,
      token: service.accessToken,
      signIn: String(signIn),
      ...(scope && { scope }),
    }),
    renewed: async () => undefined,
    describe: async () => ({ kind: 'given', place: 'the test' }),
  };
  const client = connect(service.accessToken, { tokens });
  return {
    connectHost: () => hostOf({ client, clock }),
    signInAs: (newScope?: 'read-only') => {
      scope = newScope;
      signIn += 1;
    },
  };
}

/** Returns a function that waits for the notifications of both lists. */
function listenForChanges(host: Client) {
  const changed = new Arrivals<string>();
  for (const list of ['tools', 'prompts'] as const)
    host.setNotificationHandler(`notifications/${list}/list_changed`, () => changed.add(list));
  return async () => [await changed.next(), await changed.next()].toSorted();
}

describe('the tools that write', () => {
  it('tools that write are disabled and enabled with the scope of the sign-in, and every host is notified', async () => {
    const { connectHost, signInAs } = await started();
    const [one, other] = [await connectHost(), await connectHost()];
    const [changesOfOne, changesOfOther] = [listenForChanges(one), listenForChanges(other)];
    expect(await offered(one)).toEqual(writes);
    for (const [scope, names] of [
      ['read-only', []],
      [undefined, writes],
    ] as const) {
      signInAs(scope);
      await one.callTool({ name: 'list_payees', arguments: {} });
      expect(await Promise.all([changesOfOne(), changesOfOther()])).toEqual(
        Array(2).fill(['prompts', 'tools']),
      );
      expect(await offered(one)).toEqual(names);
      expect(await offered(other)).toEqual(names);
    }
  });

  it('a host that connects while the client is read-only gets the tools that write after the scope changes', async () => {
    const { connectHost, signInAs } = await started();
    signInAs('read-only');
    await (await connectHost()).callTool({ name: 'list_payees', arguments: {} });
    const late = await connectHost();
    const changes = listenForChanges(late);
    expect(await offered(late)).toEqual([]);
    await expect(late.callTool({ name: 'delete_transaction', arguments: {} })).rejects.toMatchObject({
      code: -32602,
    });
    signInAs();
    await late.callTool({ name: 'list_payees', arguments: {} });
    expect(await changes()).toEqual(['prompts', 'tools']);
    expect(await offered(late)).toEqual(writes);
  });
});
