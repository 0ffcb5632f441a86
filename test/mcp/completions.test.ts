import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { compose } from '../../src/app/compose/compose.ts';
import { loadConfig } from '../../src/app/config/load-config.ts';
import { fixedTokenProvider } from '../../src/auth/token-provider.ts';
import { createLog } from '../../src/base/log.ts';
import { catalogue } from '../../src/features/catalogue.ts';
import { Completions } from '../../src/mcp/completions.ts';
import { listBudgets } from '../../src/operations/budgets.ts';
import { listPayees, updatePayee } from '../../src/operations/payees.ts';
import { demoBudgets } from '../../src/service/demo-data.ts';
import { createCategory, createCategoryGroup } from '../../src/service/ledger/categories.ts';
import { createPayee } from '../../src/service/ledger/payees.ts';
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
  const completions = new Completions({ client, clock, log: { error: () => {} }, tools: catalogue });
  const complete = (typed = 'payee of', argument = 'payee_id') => completions.completeName(argument, typed);
  const signInAs = (newUser: typeof user) => {
    user = newUser;
  };
  return { client, clock, ledger, sender, complete, signInAs };
}

describe('completions', () => {
  it('one list completes categories and the groups of the user, without those of the service', async () => {
    const { complete, ledger } = await started();
    const groups = ledger.categoryGroups().filter(({ internal }) => !internal);
    expect((await complete('', 'category_group_id')).toSorted()).toEqual(
      groups.map(({ name }) => name).toSorted(),
    );
    expect(await complete('Ready to', 'category_id')).toEqual(['Inflow: Ready to Assign']);
  });

  it('completions never contain a name of the former sign-in', async () => {
    const { complete, signInAs } = await started();
    expect(await complete()).toEqual(['Payee of Ann']);
    signInAs('Bob');
    expect(await complete()).toEqual(['Payee of Bob']);
    signInAs('Ann');
    expect(await complete()).toEqual(['Payee of Ann']);
  });

  it('a list that was being read during a new sign-in is not cached', async () => {
    const { client, complete, signInAs, sender } = await started();
    await callOperation(client, listBudgets, {});
    const open = sender.shut();
    const early = complete();
    await sender.arrived.next();
    signInAs('Bob');
    await client.begin().signIn();
    open();
    expect(await early).toEqual(['Payee of Ann']);
    expect(await complete()).toEqual(['Payee of Bob']);
  });

  it('a budget is found by the beginning of its name, also where the host sends that beginning as the budget', async () => {
    const { client, clock, ledger } = await started();
    const completions = new Completions({ client, clock, log: { error: () => {} }, tools: catalogue });
    const { name } = ledger.summary();
    expect(await completions.completeName('budget_id', name.slice(0, 3), name.slice(0, 2))).toEqual([name]);
  });

  it('an argument is completed by its name, by group and name, or by its id: the first that is unique', async () => {
    const { client, clock, ledger } = await started();
    const completions = new Completions({ client, clock, log: { error: () => {} }, tools: catalogue });
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
    const [transaction] = await completions.complete('transaction_id', '');
    expect(ledger.transaction(transaction ?? '')).toBeDefined();
    const [first = ''] = sameName;
    expect(await completions.complete('payee_id', first.slice(0, 20))).toEqual([first]);
  });

  it('completions are read again after a minute', async () => {
    const { client, clock, complete, ledger } = await started();
    await callOperation(client, listPayees, {});
    expect(await complete('flor')).toEqual([]);
    ledger.commit((state) => createPayee(state, 'Florist'));
    clock.advance(59_999);
    expect(await complete('flor')).toEqual([]);
    clock.advance(1);
    expect(await complete('flor')).toEqual(['Florist']);
  });

  it('completions contain new names immediately after a write or a sync', async () => {
    const { client, clock, complete, ledger } = await started();
    expect(await complete('flor')).toEqual([]);
    const { data } = await callOperation(client, listPayees, {});
    const ann = data.payees.find(({ name }) => name === 'Payee of Ann');
    expect(await complete('flor')).toEqual([]);
    await callOperation(client, updatePayee, updatePayee.input.parse({ payee_id: ann?.id, name: 'Florist' }));
    expect(await complete('flor')).toEqual(['Florist']);
    ledger.commit((books) => createPayee(books, 'Florence'));
    clock.advance(6_000);
    await callOperation(client, listPayees, {});
    expect(await complete('flor')).toEqual(['Florist', 'Florence']);
  });

  it('completions are empty if the list cannot be read, and an unexpected error is logged', async () => {
    const { connect, clock } = await startHolding();
    const bug = new TypeError('internals');
    const fails = () => Promise.reject(bug);
    const client = connect('', { tokens: { credential: fails, renewed: fails, describe: fails } });
    const errors: unknown[] = [];
    const log = { error: ({ err }: { err: unknown }) => errors.push(err) };
    expect(await new Completions({ client, clock, log, tools: catalogue }).complete('payee_id', '')).toEqual(
      [],
    );
    expect(errors).toEqual([bug]);
  });
});

it('a list that was read for one keystroke is used for the next ones of all hosts and servers', async () => {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const app = await compose(loadConfig({ demo: true, cacheMb: '0', structured: true }, {}), {
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
  const used: number[] = [];
  for (const value of ['', 'c', 'ch']) {
    const host = await connected();
    const { completion } = await host.complete({
      ref: { type: 'ref/prompt', name: 'log_receipt' },
      argument: { name: 'account', value },
    });
    expect(completion.values).toContain('Checking');
    const { structuredContent } = await host.callTool({ name: 'get_status', arguments: {} });
    used.push(statusSchema.parse(structuredContent).requests.used);
  }
  expect(used, 'requests for the list of budgets and the list of accounts').toEqual([2, 2, 2]);
});
