import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import type { BudgetClientOptions } from '../../src/client/budget-client.ts';
import { operations } from '../../src/operations/index.ts';
import { Arrivals } from '../arrivals.ts';
import { startHolding } from '../client/holding.ts';
import { hostOf } from './connected.ts';

const writes = operations.filter(({ kind }) => kind !== 'read').map(({ name }) => name);

/** The tools that write, as far as they are offered. */
const offered = async (host: Client) =>
  (await host.listTools()).tools.map(({ name }) => name).filter((name) => writes.includes(name));

/** Somebody who signs in again and again, with another scope. */
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
    host: () => hostOf({ client, clock }),
    signInAs: (another?: 'read-only') => {
      scope = another;
      signIn += 1;
    },
  };
}

function news(host: Client) {
  const told = new Arrivals<string>();
  for (const what of ['tools', 'prompts'] as const)
    host.setNotificationHandler(`notifications/${what}/list_changed`, () => told.add(what));
  return async () => [await told.next(), await told.next()].toSorted();
}

describe('the tools that write', () => {
  it('go and come back with the sign-in, and every host is told, whoever has asked', async () => {
    const { host, signInAs } = await started();
    const [one, other] = [await host(), await host()];
    const [oneHears, otherHears] = [news(one), news(other)];
    expect(await offered(one)).toEqual(writes);
    for (const [scope, names] of [
      ['read-only', []],
      [undefined, writes],
    ] as const) {
      signInAs(scope);
      await one.callTool({ name: 'list_payees', arguments: {} });
      expect(await Promise.all([oneHears(), otherHears()])).toEqual(Array(2).fill(['prompts', 'tools']));
      expect(await offered(one)).toEqual(names);
      expect(await offered(other)).toEqual(names);
    }
  });

  it('are not there for a host that comes where nothing can be written, until they can', async () => {
    const { host, signInAs } = await started();
    signInAs('read-only');
    await (await host()).callTool({ name: 'list_payees', arguments: {} });
    const late = await host();
    const hears = news(late);
    expect(await offered(late)).toEqual([]);
    await expect(late.callTool({ name: 'delete_transaction', arguments: {} })).rejects.toMatchObject({
      code: -32602,
    });
    signInAs();
    await late.callTool({ name: 'list_payees', arguments: {} });
    expect(await hears()).toEqual(['prompts', 'tools']);
    expect(await offered(late)).toEqual(writes);
  });
});
