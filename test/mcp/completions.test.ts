import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { compose } from '../../src/app/compose/compose.ts';
import { loadConfig } from '../../src/app/config/load-config.ts';
import { fixedTokenProvider } from '../../src/auth/token-provider.ts';
import { createLog } from '../../src/base/log.ts';
import { createCompletions } from '../../src/mcp/completions.ts';
import { listBudgets } from '../../src/operations/budgets.ts';
import { listPayees, updatePayee } from '../../src/operations/payees.ts';
import { demoBudgets } from '../../src/service/demo-data.ts';
import { createCategory, createCategoryGroup } from '../../src/service/ledger/categories.ts';
import { createPayee } from '../../src/service/ledger/payees.ts';
import { addScheduled } from '../../src/service/ledger/scheduled-transactions.ts';
import { builtProgram } from '../built-program.helper.ts';
import { callOperation } from '../call-operation.helper.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { startHolding } from '../session/holding.helper.ts';
import { GatedSender } from './gated-sender.helper.ts';

const statusSchema = z.looseObject({ requests: z.looseObject({ used: z.number() }) });

/** Two users with a payee each. One of them is signed in. */
async function started() {
  const { connect, service, ledger, clock } = await startHolding();
  ledger.commit((books) => createPayee(books, 'Payee of Ann'));
  const [others] = demoBudgets({ now: clock.now(), seed: 7, transactions: 10 });
  if (!others) throw new Error('Bob has no budget.');
  others.commit((books) => createPayee(books, 'Payee of Bob'));
  const tokenOf = {
    Ann: service.accessToken,
    Bob: service.access.issueToken(service.access.addUser([others])),
  };
  let user: keyof typeof tokenOf = 'Ann';
  const sender = new GatedSender();
  onTestFinished(() => sender.close());
  const client = connect(service.accessToken, {
    sender,
    budget: ledger.summary().name,
    tokens: {
      ...fixedTokenProvider({ baseUrl: service.baseUrl, token: service.accessToken }),
      credential: async () => ({ baseUrl: service.baseUrl, token: tokenOf[user], signIn: user }),
    },
  });
  const completions = createCompletions({ client, log: { error: () => {} } });
  const complete = (typed = 'payee of', argument = 'payee_id') => completions.completeName(argument, typed);
  const signInAs = (newUser: typeof user) => {
    user = newUser;
  };
  return { client, clock, ledger, sender, complete, signInAs };
}

describe('completions', () => {
  it('completions never contain a name of the former sign-in', async () => {
    const { complete, signInAs } = await started();
    expect(await complete()).toEqual(['Payee of Ann']);
    signInAs('Bob');
    expect(await complete()).toEqual(['Payee of Bob']);
    signInAs('Ann');
    expect(await complete()).toEqual(['Payee of Ann']);
  });

  it('a budget that was being loaded during a new sign-in completes nothing for the next user', async () => {
    const { client, complete, signInAs, sender } = await started();
    await callOperation(client, listBudgets, {});
    const open = sender.shut();
    const early = complete();
    await sender.arrived.next();
    signInAs('Bob');
    await client.begin().watching();
    open();
    expect(await early).toEqual(['Payee of Ann']);
    expect(await complete()).toEqual(['Payee of Bob']);
  });

  it('a budget is found by the beginning of its name, also where the host sends that beginning as the budget', async () => {
    const { client, ledger } = await started();
    const completions = createCompletions({ client, log: { error: () => {} } });
    const { name } = ledger.summary();
    expect(await completions.completeName('budget_id', name.slice(0, 3), name.slice(0, 2))).toEqual([name]);
  });

  it('budgets are completed if the configured one does not exist', async () => {
    const { connect, service, ledger } = await startHolding();
    const client = connect(service.accessToken, { budget: 'Nope' });
    const completions = createCompletions({ client, log: { error: () => {} } });
    expect(await completions.completeName('budget_id', '')).toContain(ledger.summary().name);
  });

  it('an argument is completed by its name, by group and name, or by its id: the first that is unique', async () => {
    const { client, ledger } = await started();
    const completions = createCompletions({ client, log: { error: () => {} } });
    const groups = ['Cold', 'Colder'].map((name) =>
      ledger.commit((state) => createCategoryGroup(state, name)),
    );
    for (const name of ['Ice cream', 'Sorbet'])
      for (const group of name === 'Sorbet' ? groups.slice(1) : groups)
        ledger.commit((state) => createCategory(state, { group_id: group.id, name }));
    const sameName = [1, 2].map(() => ledger.commit((state) => createPayee(state, 'Twin')).id);
    expect(await completions.complete('category_id', 'sorb')).toEqual(['Sorbet']);
    expect(await completions.complete('category_id', 'ice')).toEqual([
      'Cold: Ice cream',
      'Colder: Ice cream',
    ]);
    expect((await completions.complete('payee_id', 'twin')).toSorted()).toEqual(sameName.toSorted());
    expect(await completions.complete('transaction_id', '')).toEqual([]);
    const [first = ''] = sameName;
    expect(await completions.complete('payee_id', first.slice(0, 20))).toEqual([first]);
  });

  it('a planned payment is completed by its payee, and not at all without one', async () => {
    const { client, ledger } = await started();
    const completions = createCompletions({ client, log: { error: () => {} } });
    const planned = { account_id: ledger.accounts()[0]?.id ?? '', date: '2026-12-24', amount: -1_000 };
    ledger.commit((state) => addScheduled(state, planned));
    const payees = ledger.scheduledTransactions().flatMap(({ payee_name }) => payee_name ?? []);
    const completed = await completions.completeName('scheduled_transaction_id', '');
    expect(completed.toSorted()).toEqual([...new Set(payees)].toSorted());
  });

  it('completions contain new names after a write or a sync, and send no request themselves', async () => {
    const { client, clock, complete, ledger } = await started();
    expect(await complete('flor')).toEqual([]);
    const { data } = await callOperation(client, listPayees, {});
    const ann = data.payees.find(({ name }) => name === 'Payee of Ann');
    await callOperation(client, updatePayee, updatePayee.input.parse({ payee_id: ann?.id, name: 'Florist' }));
    expect(await complete('flor')).toEqual(['Florist']);
    ledger.commit((books) => createPayee(books, 'Florence'));
    clock.advance(60_000);
    expect(await complete('flor')).toEqual(['Florist']);
    await callOperation(client, listPayees, {});
    expect(await complete('flor')).toEqual(['Florist', 'Florence']);
  });

  it('completions are empty if the list cannot be read, and an unexpected error is logged', async () => {
    const { connect } = await startHolding();
    const bug = new TypeError('internals');
    const fails = () => Promise.reject(bug);
    const client = connect('', { tokens: { credential: fails, renewed: fails, describe: fails } });
    const errors: unknown[] = [];
    const log = { error: ({ err }: { err: unknown }) => errors.push(err) };
    expect(await createCompletions({ client, log }).complete('payee_id', '')).toEqual([]);
    expect(errors).toEqual([bug]);
  });
});

describe('the requests that completions send', () => {
  it.each([
    { cacheMb: '8', requests: 2, accounts: ['Checking'], what: 'the list of budgets and the budget' },
    { cacheMb: '0', requests: 1, accounts: [], what: 'the list of budgets' },
  ])('for all keys, hosts and servers: $what', async ({ cacheMb, requests, accounts }) => {
    const clock = new ManualClock('2026-11-21T12:00:00Z');
    const app = await compose(loadConfig({ demo: true, cacheMb, structured: true }, {}), {
      clock,
      log: createLog('silent'),
      program: builtProgram,
    });
    onTestFinished(() => app.close());
    const connected = async () => {
      const [near, far] = InMemoryTransport.createLinkedPair();
      const host = new Client({ name: 'test', version: '0.0.0' });
      await app.createServer().connect(far);
      await host.connect(near);
      onTestFinished(() => host.close());
      return host;
    };
    for (const value of ['', 'c', 'ch']) {
      const host = await connected();
      const complete = async (name: string, value: string) => {
        const ref = { type: 'ref/prompt', name: 'log_receipt' } as const;
        const { completion } = await host.complete({ ref, argument: { name, value } });
        return completion.values;
      };
      expect(await complete('account', value)).toEqual(expect.arrayContaining(accounts));
      expect(await complete('budget', '')).toContain('Household');
      clock.advance(60_000);
      const { structuredContent } = await host.callTool({ name: 'get_status', arguments: {} });
      expect(statusSchema.parse(structuredContent).requests.used).toBe(requests);
    }
  });
});
