import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { DROPPED, NO_FAULT, TWICE, UNANSWERED } from '../faulty-proxy.helper.ts';
import { startWriting } from '../session/writing-client.helper.ts';
import { hostOf } from './connected.helper.ts';

const UNAVAILABLE = { deliveries: 1, answer: '503' } as const;

async function connected() {
  const started = await startWriting();
  const { passing, coffee } = started;
  const callOf = (host: Client) => async (name: string, args: object) => {
    const call = host.callTool({ name, arguments: { ...args } });
    const { content, structuredContent, isError } = await passing(call);
    const text = content.map((each) => (each.type === 'text' ? each.text : '')).join('\n');
    return {
      text,
      structured: z.looseObject({}).optional().parse(structuredContent),
      isError: isError === true,
    };
  };
  const hostFor = async (caller?: string) => {
    const host = await hostOf(started, {}, caller);
    await host.listTools();
    return callOf(host);
  };
  const transactions = [{ ...coffee, amount: -4.5 }];
  /** After the reads before the write, the reads of the budget fail while the host waits. */
  const failReads = (readsBefore = 1) =>
    started.faults.reads.push(
      ...Array.from({ length: readsBefore }, () => NO_FAULT),
      ...Array.from({ length: 6 }, () => UNAVAILABLE),
    );
  return { ...started, call: await hostFor(), hostFor, transactions, failReads };
}

describe('the result of a write', () => {
  it.each(['create_transactions', 'delete_transaction', 'import_transactions'])(
    'the error of a write whose first read fails says that it changed nothing: %s',
    async (name) => {
      const { call, service, transactions } = await connected();
      service.maintenance = true;
      const args = {
        create_transactions: { transactions },
        delete_transaction: { transaction_id: 't-1', confirm: true },
      };
      const { text, isError } = await call(name, Object.entries(args).find(([of]) => of === name)?.[1] ?? {});
      expect(isError).toBe(true);
      expect(text).toMatch(/^This call changed nothing\. /);
    },
  );

  it('the error of an update that was not sent says that it changed nothing', async () => {
    const { call, ledger, faults, pass, client } = await connected();
    const { id } = ledger.transactions(undefined).at(-1) ?? expect.unreachable();
    faults.reads.push(...Array.from({ length: 3 }, () => UNAVAILABLE));
    const { text } = await call('update_transaction', { transaction_id: id, memo: 'New' });
    expect(text).toMatch(/^This call changed nothing\. .*nothing was sent/);
    expect(text).not.toContain('does not have it');
    await pass(1_000);
    expect((await client.status()).writes).toEqual([]);
  });

  it.each([
    ['lost', UNANSWERED],
    ['that of a second delivery', TWICE],
  ])('the result of an import shows the new transactions if its response was %s', async (_, fault) => {
    const { call, faults } = await connected();
    faults.writes.push(fault);
    const { text, structured } = await call('import_transactions', {});
    const ids = z.array(z.string()).min(1).parse(structured?.['transaction_ids']);
    expect(text).not.toContain('nothing new');
    for (const id of ids) expect(text).toContain(id);
  });
});

describe('a write whose outcome is not known in time', () => {
  it('after ten seconds the error says that the outcome is unknown and how to learn it', async () => {
    const { call, faults, transactions, clock, pass } = await connected();
    faults.writes.push(DROPPED);
    const before = clock.monotonic();
    const { text, isError } = await call('create_transactions', { transactions });
    expect(clock.monotonic() - before).toBe(10_000);
    expect(isError).toBe(true);
    expect(text).toContain('still being looked for');
    expect(text).toContain('get_status');
    expect(text).not.toContain('This call changed nothing');
    const during = await call('get_status', {});
    expect(during.text).toMatch(
      /^Write: create_transactions of .*: its response was lost, it is not known whether it was written, and the server is still looking for it\.$/m,
    );
    await pass(60_000);
    const after = await call('get_status', {});
    expect(after.structured).toMatchObject({
      writes: [{ tool: 'create_transactions', state: 'not_written' }],
    });
  });

  it('an equal call returns the outcome of the earlier write and sends nothing', async () => {
    const { call, faults, transactions, pass, failReads, sent, coffees } = await connected();
    failReads();
    faults.writes.push(UNANSWERED);
    await call('create_transactions', { transactions });
    await pass(60_000);
    const { text, structured } = await call('create_transactions', { transactions });
    expect(structured).toMatchObject({ earlier_call: '2026-11-21T12:00:00.000Z' });
    expect(text).toContain('Written already by your equal call of 2026-11-21T12:00:00.000Z');
    expect([sent(), coffees()]).toEqual([1, 1]);
    expect((await call('get_status', {})).structured).toMatchObject({ writes: [] });
  });

  it('an equal call returns the outcome of a confirmed write without a new question', async () => {
    const { call, faults, pass, failReads, ledger, sent } = await connected();
    const { id } = ledger.transactions(undefined).at(-1) ?? expect.unreachable();
    const unasked = await call('delete_transaction', { transaction_id: id });
    expect(unasked.text).toContain('call again with the same arguments and confirm: true');
    // Before a confirmed write is sent, its preview is created again from accounts, categories and the transaction.
    failReads(4);
    faults.writes.push(UNANSWERED);
    await call('delete_transaction', { transaction_id: id, confirm: true });
    await pass(60_000);
    const { structured } = await call('delete_transaction', { transaction_id: id });
    expect(structured).toMatchObject({ outcome: 'confirmed_afterwards', earlier_call: expect.any(String) });
    expect(sent()).toBe(1);
  });

  it('the outcome of a write is returned only to its own caller', async () => {
    const { hostFor, faults, transactions, pass, failReads, coffees } = await connected();
    const [one, other] = [await hostFor('one'), await hostFor('other')];
    failReads();
    faults.writes.push(UNANSWERED);
    await one('create_transactions', { transactions });
    await pass(60_000);
    expect((await other('get_status', {})).structured).toMatchObject({ writes: [] });
    expect((await other('create_transactions', { transactions })).structured).not.toHaveProperty(
      'earlier_call',
    );
    expect(coffees()).toBe(2);
    // After a new connection it is still the same caller.
    const again = await hostFor('one');
    expect((await again('create_transactions', { transactions })).structured).toHaveProperty('earlier_call');
    expect(coffees()).toBe(2);
  });
});
