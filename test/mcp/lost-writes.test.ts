import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startWriting } from '../client/writing-client.ts';
import { DROPPED, NO_FAULT, TWICE, UNANSWERED } from '../faulty-proxy.ts';
import { hostOf } from './connected.ts';

const NO_LOOK = { deliveries: 1, answer: '503' } as const;

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
  const hostFor = async (holder?: string) => {
    const host = await hostOf(started, {}, holder);
    await host.listTools();
    return callOf(host);
  };
  const transactions = [{ ...coffee, amount: -4.5 }];
  /** Looks at the budget fail while a host waits, after the reads before the write. */
  const blind = (readsBefore = 1) =>
    started.faults.reads.push(
      ...Array.from({ length: readsBefore }, () => NO_FAULT),
      ...Array.from({ length: 6 }, () => NO_LOOK),
    );
  return { ...started, call: await hostFor(), hostFor, transactions, blind };
}

describe('a tool that writes', () => {
  it.each(['create_transactions', 'delete_transaction', 'import_transactions'])(
    'says that nothing was written where its first question fails: %s',
    async (name) => {
      const { call, service, transactions } = await connected();
      service.maintenance = true;
      const args = {
        create_transactions: { transactions },
        delete_transaction: { transaction_id: 't-1', confirm: true },
      };
      const { text, isError } = await call(name, Object.entries(args).find(([of]) => of === name)?.[1] ?? {});
      expect(isError).toBe(true);
      expect(text).toMatch(/^Nothing was written\. /);
    },
  );

  it('says that a change was not made, of an entry that is there', async () => {
    const { call, ledger, faults, pass, client } = await connected();
    const { id } = ledger.transactions(undefined).at(-1) ?? expect.unreachable();
    faults.reads.push(...Array.from({ length: 3 }, () => NO_LOOK));
    const { text } = await call('update_transaction', { transaction_id: id, memo: 'New' });
    expect(text).toContain('nothing was sent');
    expect(text).toContain('The change was not made: it is safe to try again.');
    expect(text).not.toContain('does not have it');
    await pass(1_000);
    expect((await client.status()).writes).toEqual([]);
  });

  it('names what the service ignored of an update whose answer was lost', async () => {
    const { call, ledger, faults } = await connected();
    const transfer = ledger
      .transactions(undefined)
      .find(({ transfer_transaction_id: other }) => other !== null);
    const category = ledger.categoryGroups().flatMap(({ categories }) => categories)[3];
    faults.writes.push(UNANSWERED);
    const args = { transaction_id: transfer?.id, category_id: category?.id, memo: 'New' };
    const { structured, text } = await call('update_transaction', args);
    expect(structured).toMatchObject({ outcome: 'confirmed_afterwards', ignored: ['category_id'] });
    expect(text).toContain('The service ignored: category_id.');
  });

  it.each([
    ['lost', UNANSWERED],
    ['that of a second delivery', TWICE],
  ])('shows what an import brought in where its answer was %s', async (_, fault) => {
    const { call, faults } = await connected();
    faults.writes.push(fault);
    const { text, structured } = await call('import_transactions', {});
    const ids = z.array(z.string()).min(1).parse(structured?.['transaction_ids']);
    expect(text).not.toContain('nothing new');
    for (const id of ids) expect(text).toContain(id);
  });
});

describe('a write that is not settled in time', () => {
  it('is told as unknown, with the way to learn what became of it', async () => {
    const { call, faults, transactions, clock, pass } = await connected();
    faults.writes.push(DROPPED);
    const before = clock.monotonic();
    const { text, isError } = await call('create_transactions', { transactions });
    expect(clock.monotonic() - before).toBe(10_000);
    expect(isError).toBe(true);
    expect(text).toContain('still being looked for');
    expect(text).toContain('get_status');
    expect(text).not.toContain('Nothing was written');
    const during = await call('get_status', {});
    expect(during.text).toMatch(
      /^Write: create_transactions of .*: its response was lost, and the server is still looking for it\.$/m,
    );
    await pass(60_000);
    const after = await call('get_status', {});
    expect(after.structured).toMatchObject({
      writes: [{ tool: 'create_transactions', state: 'not_written' }],
    });
  });

  it('is told to the call that repeats it, which sends nothing', async () => {
    const { call, faults, transactions, pass, blind, sent, coffees } = await connected();
    blind();
    faults.writes.push(UNANSWERED);
    await call('create_transactions', { transactions });
    await pass(60_000);
    const { text, structured } = await call('create_transactions', { transactions });
    expect(structured).toMatchObject({ earlier_call: '2026-11-21T12:00:00.000Z' });
    expect(text).toContain('Written already by your equal call of 2026-11-21T12:00:00.000Z');
    expect([sent(), coffees()]).toEqual([1, 1]);
    expect((await call('get_status', {})).structured).toMatchObject({ writes: [] });
  });

  it('that was agreed to is told to the call that repeats it without asking again', async () => {
    const { call, faults, pass, blind, ledger, sent } = await connected();
    const { id } = ledger.transactions(undefined).at(-1) ?? expect.unreachable();
    const unasked = await call('delete_transaction', { transaction_id: id });
    expect(unasked.text).toContain('call again with the same arguments and confirm: true');
    // Before a write that was confirmed its preview is made again: accounts, categories and the transaction.
    blind(4);
    faults.writes.push(UNANSWERED);
    await call('delete_transaction', { transaction_id: id, confirm: true });
    await pass(60_000);
    const { structured } = await call('delete_transaction', { transaction_id: id });
    expect(structured).toMatchObject({ outcome: 'confirmed_afterwards', earlier_call: expect.any(String) });
    expect(sent()).toBe(1);
  });

  it('is a matter between the server and its own caller', async () => {
    const { hostFor, faults, transactions, pass, blind, coffees } = await connected();
    const [one, other] = [await hostFor('one'), await hostFor('other')];
    blind();
    faults.writes.push(UNANSWERED);
    await one('create_transactions', { transactions });
    await pass(60_000);
    expect((await other('get_status', {})).structured).toMatchObject({ writes: [] });
    expect((await other('create_transactions', { transactions })).structured).not.toHaveProperty(
      'earlier_call',
    );
    expect(coffees()).toBe(2);
    // A host that has connected anew is still the same caller.
    const again = await hostFor('one');
    expect((await again('create_transactions', { transactions })).structured).toHaveProperty('earlier_call');
    expect(coffees()).toBe(2);
  });
});
