import { describe, expect, it } from 'vitest';
import { createCategory } from '../../../src/service/ledger/categories.ts';
import { createPayee, renamePayee } from '../../../src/service/ledger/payees.ts';
import { addTransaction } from '../../../src/service/ledger/transactions.ts';
import { started, today } from './resolving.helper.ts';

describe('arguments that name things', () => {
  it('a name, an abbreviated id and a full id give the same answer, by one request after the list of budgets', async () => {
    const { call, account, references, asked } = await started();
    const { id } = account('Savings');
    const { text, isError } = await call('get_account', { account_id: 'savings' });
    expect(isError).toBe(false);
    expect(asked()).toEqual(['budgets', 'home']);
    const short = (await references()).shortId('account', id);
    expect(short.length).toBeLessThan(12);
    for (const account_id of [short, id, 'Savings'])
      expect(await call('get_account', { account_id })).toEqual({ text, isError: false });
    expect(asked()).toEqual([]);
  });

  it('a resource is read by the names of a budget and a thing, and a name that is not found is no resource', async () => {
    const { host, account, ledger } = await started();
    const budget = encodeURIComponent(ledger.summary().name);
    const { contents } = await host.readResource({ uri: `budget://v1/budgets/${budget}/accounts/savings` });
    expect(JSON.stringify(contents)).toContain(account('Savings').id);
    const unknown = host.readResource({ uri: `budget://v1/budgets/${budget}/accounts/savimgs` });
    await expect(unknown).rejects.toThrow('there is no account "savimgs", nearest: "Savings"');
  });

  it('a question takes a mistyped name as the one that is clearly meant, and says so; a write asks', async () => {
    const { call } = await started();
    const { text, isError } = await call('get_account', { account_id: 'savimgs' });
    expect(isError).toBe(false);
    expect(text).toMatch(/"savimgs" was taken as "Savings" \(savings, [0-9a-f]+\)\./);
    const write = { of: 'spending', transactions: [{ account_id: 'savimgs', date: today, amount: -1 }] };
    expect((await call('create_transactions', write)).text).toContain(
      'no account "savimgs", nearest: "Savings"',
    );
  });

  it('a question sums payees whose names differ by case or emoji only, and names longer names that it does not count', async () => {
    const { call, ledger, account, clock } = await started();
    const { id: account_id } = account('Checking');
    ledger.commit((state) => {
      for (const [at, name] of ['Aldo', 'ALDO 🛒', 'ALDO SUED 1234', 'Geraldo'].entries()) {
        const { id: payee_id } = createPayee(state, name);
        addTransaction(state, { account_id, date: today, amount: -1_000 * 10 ** at, payee_id });
      }
    });
    clock.advance(6_000);
    const { text } = await call('report', { of: 'spending', payee: 'Aldo', since: today });
    expect(text).toContain('11.00');
    expect(text).toMatch(/"Aldo" was taken as "Aldo" \(\w+\), "ALDO 🛒" \(\w+\)\./);
    expect(text).toMatch(/Not counted, with "Aldo" in the name: "ALDO SUED 1234" \(\w+\)\./);
    expect(text).not.toContain('Geraldo');
    const found = await call('find_transactions', { payee: 'aldo' });
    expect(found.text).toContain('2 transactions');
    const rename = await call('update_payee', { payee_id: 'aldo', name: 'Aldo' });
    expect(rename.text).toContain('"aldo" may mean several: ');
  });

  it('names are resolved in rows, in their legs, and in scheduled transactions', async () => {
    const { call, account, category, ledger } = await started();
    const [first, second] = ledger
      .categoryGroups()
      .filter(({ categories }) => categories.some(({ hidden }) => !hidden))
      .flatMap((group) =>
        group.categories.map(({ name, id }) => ({ text: `${group.name}: ${name}`.toLowerCase(), id })),
      )
      .slice(-2);
    const legs = [
      { amount: -10, category_id: first?.text },
      { amount: -5, category_id: second?.text, payee_name: 'Baker' },
    ];
    const rows = [{ account_id: 'wallet', date: today, amount: -15, memo: 'Proof', subtransactions: legs }];
    expect(await call('create_transactions', { transactions: rows })).toMatchObject({ isError: false });
    const written = ledger.transactions(undefined).find(({ memo }) => memo === 'Proof');
    expect(written).toMatchObject({ account_id: account('Wallet').id });
    expect(written?.subtransactions.map(({ category_id }) => category_id)).toEqual([first?.id, second?.id]);
    const planned = {
      account_id: 'CHECKING',
      date: '2026-12-24',
      amount: -1,
      category_id: 'groceries',
      memo: 'Plan',
    };
    expect(await call('create_scheduled_transaction', planned)).toMatchObject({ isError: false });
    expect(ledger.scheduledTransactions().find(({ memo }) => memo === 'Plan')).toMatchObject({
      account_id: account('Checking').id,
      category_id: category('Groceries').id,
    });
  });

  it('a scheduled transaction is taken by its payee, unless the payee has several', async () => {
    const { call, ledger } = await started();
    const planned = { account_id: 'Checking', date: '2026-12-24', amount: -30, payee_name: 'Tennis Club' };
    await call('create_scheduled_transaction', planned);
    const change = { scheduled_transaction_id: 'tennis club', amount: -33 };
    expect(await call('update_scheduled_transaction', change)).toMatchObject({ isError: false });
    const amounts = () =>
      ledger
        .scheduledTransactions()
        .filter(({ payee_name }) => payee_name === 'Tennis Club')
        .map(({ amount }) => amount);
    expect(amounts()).toEqual([-33_000]);
    await call('create_scheduled_transaction', { ...planned, date: '2026-12-30' });
    const refused = await call('update_scheduled_transaction', { ...change, amount: -1 });
    expect(refused.isError).toBe(true);
    expect(refused.text).toMatch(
      /"tennis club" may mean several: next 2026-12-24 \("Tennis Club", \w+\), next /,
    );
    expect(amounts().toSorted()).toEqual([-30_000, -33_000]);
  });

  it('a permission for a call with a name counts for the same call with an id', async () => {
    const { call, newest, references, ledger } = await started();
    const { id } = newest();
    const transaction_id = (await references()).shortId('transaction', id);
    await call('delete_transaction', { transaction_id, dry_run: true });
    expect((await call('delete_transaction', { transaction_id: id, confirm: true })).isError).toBe(false);
    expect(ledger.transaction(id)).toBeUndefined();
  });

  it('the name of a thing that was made elsewhere a moment ago is found', async () => {
    const { call, clock, ledger, asked } = await started();
    await call('list_payees', {});
    ledger.commit((state) => createPayee(state, 'Florist'));
    clock.advance(1_000);
    asked();
    expect(await call('get_payee', { payee_id: 'florist' })).toMatchObject({ isError: false });
    expect(asked()).toEqual([expect.stringContaining('home?last_knowledge_of_server')]);
  });

  it('an unknown name lists the nearest, costs one sync in ten seconds, and is never sent', async () => {
    const { call, clock, sender, asked } = await started();
    await call('list_payees', {});
    asked();
    const row = {
      account_id: 'Savimgs',
      date: today,
      amount: -1,
      category_id: 'Groceriez',
      payee_id: 'Nobody known',
    };
    const requests: number[] = [];
    for (const wait of [1_000, 1_000, 8_999, 1]) {
      clock.advance(wait);
      const { text, isError } = await call('create_transactions', { transactions: [row] });
      expect(isError).toBe(true);
      expect(text).toMatch(
        /^This call changed nothing\. transactions\.0\.account_id: there is no account "Savimgs", nearest: "Savings" \(savings, [0-9a-f]{6,}\)/,
      );
      expect(text).toContain(
        'transactions.0.category_id: there is no category "Groceriez", nearest: "Groceries" (group "',
      );
      expect(text).toContain('transactions.0.payee_id: there is no payee "Nobody known"');
      expect(text).toContain('This call sent nothing.');
      requests.push(asked().length);
    }
    // The third call is more than five seconds after the last sync, so that any read would sync.
    expect(requests).toEqual([1, 0, 1, 0]);
    expect(sender.sent).not.toMatch(/POST|Savimgs|Groceriez|Nobody known/);
  });

  it('a write whose reference may mean several things is refused without a sync', async () => {
    const { call, ledger, asked, clock } = await started();
    const group_id = ledger.categoryGroups().at(-1)?.id ?? '';
    for (const name of ['Ice cream', 'ice CREAM'])
      ledger.commit((state) => createCategory(state, { group_id, name }));
    await call('list_payees', {});
    clock.advance(1_000);
    asked();
    const row = { account_id: 'Wallet', date: today, amount: -1, category_id: 'ICE CREAM' };
    const { text } = await call('create_transactions', { transactions: [row] });
    expect(text).toMatch(
      /transactions\.0\.category_id: "ICE CREAM" may mean several: "Ice cream" \(group .*"ice CREAM" \(group .* This call sent nothing\. Correct the arguments/,
    );
    expect(asked()).toEqual([]);
    const alsoUnknown = { transactions: [{ ...row, account_id: 'Walet' }] };
    expect((await call('create_transactions', alsoUnknown)).text).toContain('Correct the arguments');
    const exact = { ...row, category_id: 'ice CREAM' };
    expect((await call('create_transactions', { transactions: [exact] })).isError).toBe(false);
  });

  it('an abbreviated id that has become ambiguous is refused, and does not delete another transaction', async () => {
    const { call, ledger, newest, references, clock } = await started();
    const { id, ...row } = newest();
    const transaction_id = (await references()).shortId('transaction', id);
    const newId = ledger.state.newId.bind(ledger.state);
    Object.assign(ledger.state, {
      newId: () => `${transaction_id}${newId().slice(transaction_id.length)}`,
    });
    ledger.commit((state) => {
      addTransaction(state, { account_id: row.account_id, date: row.date, amount: -1 });
    });
    clock.advance(6_000);
    const { text } = await call('delete_transaction', { transaction_id, confirm: true, dry_run: true });
    expect(text).toMatch(/^This call changed nothing\. transaction_id: "[0-9a-f]+" may mean several: /);
  });

  it('a write says so if its names were looked up in an older budget, and not if it has none', async () => {
    const { call, client, clock, account } = await started();
    await call('list_payees', {});
    while ((await client.status()).requests.leftForReads > 0) await client.begin().refresh(false);
    clock.advance(60_000);
    const transactions = [{ account_id: 'wallet', date: today, amount: -1 }];
    const byId = { ...transactions[0], account_id: account('Wallet').id };
    const withoutNames = await call('create_transactions', { transactions: [byId], dry_run: true });
    expect(withoutNames).toEqual({
      isError: false,
      text: expect.not.stringContaining('Names were looked up'),
    });
    const { text, isError } = await call('create_transactions', { transactions });
    expect(isError).toBe(false);
    expect(text).toContain('Names were looked up in an older budget. ');
    const unknown = await call('get_account', { account_id: 'Old wallet' });
    expect(unknown.text).toMatch(
      /nearest: "Wallet".* This call sent nothing\. A list tool shows what the budget has\. No budget was named/,
    );
  });

  it('a write whose names were looked up while the service could not be read says why, with the payee that it made', async () => {
    const { call, clock, faults, ledger, account } = await started();
    await call('list_payees', {});
    clock.advance(60_000);
    faults.push(...Array(3).fill({ deliveries: 0, answer: '503' }));
    const row = { account_id: 'wallet', date: today, amount: -1, payee_name: 'Florist' };
    const { text, isError } = await call('create_transactions', { transactions: [row] });
    expect(isError).toBe(false);
    expect(text).toMatch(/^Names were looked up in an older budget\. .*503/m);
    expect(text).toContain('New payees: "Florist".');
    const payee = ledger.payees().find(({ name }) => name === 'Florist');
    expect(ledger.transactions(undefined).find(({ payee_id }) => payee_id === payee?.id)).toMatchObject({
      account_id: account('Wallet').id,
    });
  });

  it.each([
    ['older than it should be', 60_000, 6],
    ['new enough, but cannot be updated for the unknown name', 1_000, 3],
  ])(
    'an unknown name of a write in a budget that is %s is refused with the reason',
    async (_, age, failures) => {
      const { call, clock, faults, sender } = await started();
      await call('list_payees', {});
      clock.advance(age);
      faults.push(...Array(failures).fill({ deliveries: 0, answer: '503' }));
      const row = { account_id: 'Walet', date: today, amount: -1 };
      const { text, isError } = await call('create_transactions', { transactions: [row] });
      expect(isError).toBe(true);
      expect(text).toMatch(/there is no account "Walet", nearest: "Wallet".* 503.* This call sent nothing\./);
      expect(sender.sent).not.toContain('POST');
    },
  );

  it('a write whose unknown name is found by a successful update says nothing about an older budget', async () => {
    const { call, clock, faults, ledger } = await started();
    await call('list_payees', {});
    ledger.commit((state) => createPayee(state, 'Florist'));
    clock.advance(60_000);
    faults.push(...Array(3).fill({ deliveries: 0, answer: '503' }));
    const row = { account_id: 'wallet', date: today, amount: -1, payee_id: 'florist' };
    const { text, isError } = await call('create_transactions', { transactions: [row] });
    expect(isError).toBe(false);
    expect(text).not.toContain('older budget');
  });

  it('many unknown names are explained ten at a time', async () => {
    const { call } = await started();
    const transactions = Array.from({ length: 1_000 }, (_, at) => ({
      account_id: `None ${at}`,
      date: today,
      amount: -1,
    }));
    const { text } = await call('create_transactions', { transactions });
    expect(text).toContain('transactions.9.account_id: there is no account "None 9"');
    expect(text).toContain('and 990 more problems');
  });
});

describe('the payee of a write', () => {
  it('a payee_name that names the transfer payee of an account makes the transfer', async () => {
    const { call, account, ledger } = await started();
    for (const [at, payee_name] of ['Transfer : Savings', 'transfer:savings'].entries()) {
      const memo = `Proof ${at}`;
      const row = { account_id: 'Checking', date: today, amount: -20, payee_name, memo };
      expect(await call('create_transactions', { transactions: [row] })).toMatchObject({ isError: false });
      expect(
        ledger
          .transactions(undefined)
          .filter((each) => each.memo === memo)
          .map(({ transfer_account_id }) => transfer_account_id)
          .toSorted(),
      ).toEqual([account('Checking').id, account('Savings').id].toSorted());
    }
  });

  it('a payee_name of a transfer to no account is refused', async () => {
    const { call, sender } = await started();
    const row = { account_id: 'Checking', date: today, amount: -20, payee_name: 'Transfer: Savimgs' };
    const { text } = await call('create_transactions', { transactions: [row] });
    expect(text).toContain('transactions.0.payee_name: there is no account "Savimgs", nearest: "Savings"');
    expect(sender.sent).not.toContain('POST');
  });

  it('an unknown payee_name creates the payee, and the answer says so; an unknown payee_id does not', async () => {
    const { call, ledger } = await started();
    const row = { account_id: 'Wallet', date: today, amount: -20 };
    const florist = { transactions: [{ ...row, payee_name: 'Florist' }] };
    expect(
      (await call('create_transactions', { transactions: [{ ...row, payee_id: 'Florist' }] })).isError,
    ).toBe(true);
    expect((await call('create_transactions', { ...florist, dry_run: true })).text).toContain(
      'It will create these payees, unless there are such: "Florist".',
    );
    expect(ledger.payees().some(({ name }) => name === 'Florist')).toBe(false);
    expect((await call('create_transactions', florist)).text).toContain('New payees: "Florist".');
    expect(ledger.payees().some(({ name }) => name === 'Florist')).toBe(true);
    expect(
      (await call('create_transactions', { transactions: [{ ...row, amount: -21, payee_name: ' florist' }] }))
        .text,
    ).not.toContain('New payee');
  });

  it('a payee that is renamed while the budget is cached is found by its new name only after a sync', async () => {
    const { call, ledger, clock } = await started();
    const payee = ledger.commit((state) => createPayee(state, 'Florist'));
    expect((await call('get_payee', { payee_id: 'florist' })).isError).toBe(false);
    ledger.commit((state) => renamePayee(state, payee.id, 'Gardener'));
    clock.advance(6_000);
    expect((await call('get_payee', { payee_id: 'florist' })).isError).toBe(true);
    expect((await call('get_payee', { payee_id: 'gardener' })).isError).toBe(false);
  });
});

it.each([
  ['list_categories', {}, '2026-11'],
  ['get_month_category', { month: 'current', category_id: 'groceries' }, '2026-11'],
  ['get_month_category', { month: '2026-10', category_id: 'groceries' }, '2026-10'],
  ['get_category', { category_id: 'groceries' }, '2026-11'],
  ['list_accounts', {}, undefined],
])(
  '%s with %j names the month of the amounts of categories, if it has any, and costs no request of its own',
  async (name, args, month) => {
    const { host, call, asked } = await started();
    const { structuredContent } = await host.callTool({ name, arguments: args });
    expect(Object(structuredContent).month).toBe(month && `${month}-01`);
    const [heading] = (await call(name, args)).text.split('\n');
    expect(heading?.match(/ · (\d{4}-\d\d)(?= · |$)/)?.[1]).toBe(month);
    expect(asked()).toEqual(['budgets', 'home']);
  },
);
