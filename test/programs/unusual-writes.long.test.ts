import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { eras, type Host } from '../hosts.helper.ts';
import { Household } from '../household.helper.ts';

let home: Household;
let checking: string;
beforeAll(async () => {
  home = await Household.start();
  checking = (await home.account('Checking')).id;
});
afterAll(() => home.close());

const rows = (...unusual: Record<string, unknown>[]) => ({
  transactions: unusual.map((each) => ({ account_id: checking, date: home.today, amount: -4.5, ...each })),
});

describe.each(eras)('a host that speaks %s', (_, connect) => {
  let host: Host;
  beforeAll(async () => {
    host = await connect({ args: [], env: home.env() });
  });
  afterAll(() => host.close());

  test('an amount may be -0 or a sum of decimals', async () => {
    const { structured } = await host.call(
      'create_transactions',
      rows({ amount: -0 }, { amount: 0.1 + 0.2 }),
    );
    const ids = z.array(z.string()).parse(structured['transaction_ids']);
    const written = await Promise.all(ids.map((id) => home.transaction(id)));
    expect(written).toMatchObject([{ amount: 0 }, { amount: 300 }]);
  });

  test('a write may have 1,000 rows', async () => {
    const { balance } = await home.account('Checking');
    const args = rows(...Array.from({ length: 1_000 }, () => ({ amount: -0.01 })));
    await host.call('create_transactions', { ...args, dry_run: true });
    const { structured, isError } = await host.call('create_transactions', { ...args, confirm: true });
    expect(isError).toBe(false);
    expect(structured).toMatchObject({ summary: { transactions: 1_000 }, cut: { transaction_ids: 1_000 } });
    expect((await home.account('Checking')).balance).toBe(balance - 10_000);
  });

  test.each([
    ['emoji', '🥐 Café 👩‍👩‍👧 🇪🇺'],
    ['right-to-left text', 'מאפיית הפינה ١٢٣ مخبز'],
    ['marks that turn the direction', 'abc \u202exyz\u202c \u200f'],
    ['combining characters, not composed', 'Cafe\u0301 \u1112\u1161\u11ab'],
    ['quotes, backslashes and newlines', '"\\"\n\t\'; -- <b>&amp;'],
    ['200 emoji, of which UTF-16 makes 400', '🥐'.repeat(200)],
  ])('a write stores %s unchanged', async (_, words) => {
    const called = await host.call('create_transactions', rows({ payee_name: words, memo: words }));
    const { transaction } = z
      .object({ transaction: z.object({ id: z.string(), payee_name: z.string(), memo: z.string() }) })
      .parse(called.structured);
    // An answer has the character that an escape of markup stands for.
    const shown = words.replace('&amp;', '&');
    expect(transaction).toMatchObject({ payee_name: shown, memo: shown });
    expect(called.structured).not.toHaveProperty('ignored');
    expect(await home.transaction(transaction.id)).toMatchObject({ payee_name: words, memo: words });
  });
});
