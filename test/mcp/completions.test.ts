import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { fixedTokenProvider } from '../../src/auth/token-provider.ts';
import { compose } from '../../src/compose.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { Completions } from '../../src/mcp/completions.ts';
import { listBudgets } from '../../src/operations/budgets.ts';
import { listPayees, updatePayee } from '../../src/operations/payees.ts';
import { createLog } from '../../src/platform/log.ts';
import { demoBudgets } from '../../src/service/demo-data.ts';
import { createPayee } from '../../src/service/ledger/payees.ts';
import { catalogue } from '../../src/tools/catalogue.ts';
import { startHolding } from '../client/holding.ts';
import { ManualClock } from '../manual-clock.ts';
import { GatedSender } from './gated-sender.ts';

const statusSchema = z.looseObject({ requests: z.looseObject({ used: z.number() }) });

/** Two people with a payee each, of whom one is signed in. */
async function started() {
  const { connect, service, ledger, clock } = await startHolding();
  ledger.commit((books) => createPayee(books, 'Payee of Ann'));
  const [others] = demoBudgets({ now: clock.now(), seed: 7, transactions: 10 });
  if (!others) throw new Error('Bob has a budget.');
  others.commit((books) => createPayee(books, 'Payee of Bob'));
  const tokenOf = {
    Ann: service.accessToken,
    Bob: service.access.issueToken(service.access.addUser([others])),
  };
  let who: keyof typeof tokenOf = 'Ann';
  const sender = new GatedSender();
  onTestFinished(() => sender.close());
  const client = connect(service.accessToken, {
    sender,
    budget: ledger.summary().name,
    tokens: {
      ...fixedTokenProvider({ baseUrl: service.baseUrl, token: service.accessToken }),
      credential: async () => ({ baseUrl: service.baseUrl, token: tokenOf[who], signIn: who }),
    },
  });
  const completions = new Completions({ client, clock, log: { error: () => {} }, tools: catalogue });
  const complete = (typed = 'payee of') => completions.completeName('payee_id', typed);
  const signInAs = (another: typeof who) => {
    who = another;
  };
  return { client, clock, ledger, sender, complete, signInAs };
}

describe('completions', () => {
  it('never tell a name of the former sign-in', async () => {
    const { complete, signInAs } = await started();
    expect(await complete()).toEqual(['Payee of Ann']);
    signInAs('Bob');
    expect(await complete()).toEqual(['Payee of Bob']);
    signInAs('Ann');
    expect(await complete()).toEqual(['Payee of Ann']);
  });

  it('keep nothing that was being read when somebody else signed in', async () => {
    const { client, complete, signInAs, sender } = await started();
    await client.call(listBudgets, {});
    const open = sender.shut();
    const early = complete();
    await sender.arrived.next();
    signInAs('Bob');
    await client.begin().signIn();
    open();
    expect(await early).toEqual(['Payee of Ann']);
    expect(await complete()).toEqual(['Payee of Bob']);
  });

  it('find a budget by the beginning of its name, also where the host sends that beginning as the budget', async () => {
    const { client, clock, ledger } = await started();
    const completions = new Completions({ client, clock, log: { error: () => {} }, tools: catalogue });
    const { name } = ledger.summary();
    expect(await completions.completeName('budget_id', name.slice(0, 3), name.slice(0, 2))).toEqual([name]);
  });

  it('tell a name at once that a write or a sync has brought', async () => {
    const { client, clock, complete, ledger } = await started();
    expect(await complete('flor')).toEqual([]);
    const { data } = await client.call(listPayees, {});
    const ann = data.payees.find(({ name }) => name === 'Payee of Ann');
    expect(await complete('flor')).toEqual([]);
    await client.call(updatePayee, updatePayee.input.parse({ payee_id: ann?.id, name: 'Florist' }));
    expect(await complete('flor')).toEqual(['Florist']);
    ledger.commit((books) => createPayee(books, 'Florence'));
    clock.advance(6_000);
    await client.call(listPayees, {});
    expect(await complete('flor')).toEqual(['Florist', 'Florence']);
  });

  it('are none where they cannot be had; a bug is logged and not told', async () => {
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

it('what is read for a keystroke serves the next ones of all hosts, each with a server of its own', async () => {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const program = new URL('../../dist/', import.meta.url);
  const app = await compose(loadConfig({ demo: true, cacheMb: '0' }, {}), {
    clock,
    log: createLog('silent'),
    program,
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
  expect(used, 'the list of budgets and that of accounts').toEqual([2, 2, 2]);
});
