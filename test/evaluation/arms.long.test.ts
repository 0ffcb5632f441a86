import { describe, expect, it } from 'vitest';
import { begin } from './conversation.helper.ts';
import type { ArmName } from './recording.ts';

const namesIn = async (arm: ArmName) => (await begin({}, arm)).tools.map(({ name }) => name);

describe('the arms', () => {
  it('mirror has the tools that have an operation, and refuses others', async () => {
    const mirror = await begin({}, 'mirror');
    const names = mirror.tools.map(({ name }) => name);
    expect(names).toHaveLength(44);
    expect(names).toContain('list_transactions');
    expect(names).not.toContain('report');
    expect(await mirror.call('report', {})).toEqual({ text: 'There is no tool report.', isError: true });
  });

  it('first-40 has the first forty', async () => {
    expect(await namesIn('first-40')).toEqual((await namesIn('all')).slice(0, 40));
  });

  it('search offers the tools that are always loaded and what a search has found, and nothing else', async () => {
    const search = await begin({}, 'search');
    const shown = () => search.tools.map(({ name }) => name);
    const atFirst = shown();
    expect(atFirst).toEqual(expect.arrayContaining(['search_tools', 'report', 'create_transactions']));
    expect(atFirst).not.toContain('list_payees');
    expect(await search.call('list_payees', {})).toMatchObject({ isError: true });

    const { text } = await search.call('search_tools', { query: 'report of all payees and shops' });
    expect(text.split('\n')).toHaveLength(5);
    expect(text).toContain('"name":"list_payees"');
    expect(text).not.toContain('"name":"report"');
    expect(shown()).toHaveLength(atFirst.length + 5);
    expect(await search.call('list_payees', {})).toMatchObject({ isError: false });
    const { turns } = await answered(search);
    expect(turns[0]?.calls.map(({ tool }) => tool)).toEqual(['list_payees', 'search_tools', 'list_payees']);
  });

  it('csv has Python and the budget as it is at each turn', async () => {
    const csv = await begin(
      {
        says: ['How much did we spend on groceries?', 'And now?'],
        meanwhile: {
          1: async (service) => {
            await service.send('POST', 'payees', { payee: { name: 'Stall, "old"' } });
            const { accounts } = await service.get('accounts');
            const id = JSON.stringify(accounts).match(/"id":"([^"]+)","name":"Wallet"/)?.[1];
            const transaction = {
              account_id: id,
              date: '2026-11-18',
              amount: -1_250,
              payee_name: 'Stall, "old"',
            };
            await service.send('POST', 'transactions', { transaction });
          },
        },
        expected: ({ transactions }) => ({ results: [[transactions.length], 'anything'], changes: [] }),
      },
      'csv',
    );
    const python = (code: string) => csv.call('python', { code });
    const rows = 'import csv; rows = list(csv.DictReader(open("transactions.csv")))';

    expect(csv.tools.map(({ name }) => name)).toEqual(['python']);
    expect(csv.tools[0]?.description).toContain('transactions.csv: transaction,date,account,payee');
    const { text } = await python(`${rows}; print(len({row["transaction"] for row in rows}))`);
    await csv.answer(`Result: ${text.trim()}`);
    const { text: last } = await python(
      `${rows}; print([r["payee"] + r["amount"] for r in rows if "Stall" in r["payee"]])`,
    );
    expect(last).toBe(`['Stall, "old"-1.25']\n`);
    expect(await python('1 / 0')).toMatchObject({
      isError: true,
      text: expect.stringContaining('ZeroDivisionError'),
    });
    const { turns, requests, verdict } = await answered(csv);
    expect(turns).toHaveLength(2);
    expect(requests).toBe(0);
    // The figure was right; the changes are those of `meanwhile`, which this task does not expect.
    expect(verdict.faults.every((fault) => fault.startsWith('Not expected'))).toBe(true);
  });
});

async function answered(conversation: Awaited<ReturnType<typeof begin>>) {
  await conversation.answer('Result: done');
  return conversation.record();
}
