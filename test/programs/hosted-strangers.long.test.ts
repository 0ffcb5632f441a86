/** People on one hosted server are strangers to each other: nothing of one of them reaches another one. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { Person } from '../../src/service/server.ts';
import { connectLegacy, connectModern, eras, type Host } from '../hosts.helper.ts';
import { HostedProgram, type SignedIn } from './hosted-program.helper.ts';

/** Of each person, with names that no other one has. */
const CAFES = ['Lantern of Ann', 'Lantern of Bob'] as const;
const NOTES = ['Note of Ann', 'Note of Bob'] as const;

let hosted: HostedProgram;
let ann: Stranger;
let bob: Stranger;

interface Stranger {
  readonly person: Person;
  readonly signedIn: SignedIn;
  readonly budgetId: string;
  readonly categoryId: string;
  readonly transactionId: string;
  /** Ids and names that only this person has. */
  readonly own: ReadonlySet<string>;
}

beforeAll(async () => {
  // The budgets, accounts and categories of both have the same names.
  hosted = await HostedProgram.start({ args: ['--confirm', 'none'] });
  [ann, bob] = [await stranger(0), await stranger(1)];
});
afterAll(() => hosted.close());

const budgetSchema = z.object({
  budget: z.object({
    categories: z.array(z.object({ id: z.string(), name: z.string() })),
    transactions: z.array(z.object({ id: z.string() })),
  }),
});

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

async function stranger(nth: 0 | 1): Promise<Stranger> {
  const person = hosted.person(nth);
  const budgetId = person.user.ledgers[0]?.id ?? '';
  const path = `/budgets/${budgetId}`;
  const { budget } = budgetSchema.parse(await hosted.get(person, path));
  const categoryId = budget.categories.find(({ name }) => name === 'Groceries')?.id ?? '';
  await hosted.patch(person, `${path}/categories/${categoryId}`, { category: { note: NOTES[nth] } });
  const signedIn = await hosted.signIn(person);
  const host = await connectModern({ http: signedIn.http });
  await lunch(host, CAFES[nth]);
  await host.close();
  const own = new Set<string>([CAFES[nth], NOTES[nth], person.user.id]);
  for (const { id } of person.user.ledgers)
    for (const [each] of JSON.stringify(await hosted.get(person, `/budgets/${id}`)).matchAll(UUID))
      own.add(each);
  return { person, signedIn, budgetId, categoryId, transactionId: budget.transactions[0]?.id ?? '', own };
}

async function lunch(host: Host, payee_name: string): Promise<string> {
  const transaction = { account_id: 'Checking', date: 'today', amount: -12.5, payee_name };
  const { text, isError } = await host.call('create_transactions', { transactions: [transaction] });
  expect(isError, text).toBe(false);
  return text;
}

/** What only another person has. */
const leaksIn = (text: string, { own }: Stranger) => [...own].filter((each) => text.includes(each));

async function connected(host: Promise<Host>): Promise<Host> {
  const connected = await host;
  onTestFinished(() => connected.close());
  return connected;
}

test('the two people have nothing in common but names', () => {
  expect([...ann.own].filter((each) => bob.own.has(each))).toEqual([]);
  expect(ann.own.size).toBeGreaterThan(300);
});

describe.each(eras)('of a stranger, an assistant that speaks %s', (era, connect) => {
  const hostOf = ({ signedIn }: Stranger) => connected(connect({ http: signedIn.http }));

  test('never gets an id, a name or an amount, whatever it asks', async () => {
    for (const [own, other] of [
      [ann, bob],
      [bob, ann],
    ] as const) {
      const host = await hostOf(own);
      const tools = [
        ['list_budgets', {}],
        ['get_user', {}],
        ['list_accounts', {}],
        ['list_transactions', {}],
        ['list_payees', {}],
        ['list_categories', {}],
        ['list_writes', {}],
        ['get_status', {}],
        ['list_months', {}],
      ] as const;
      for (const [tool, args] of tools) {
        const { text, structured, isError } = await host.call(tool, args);
        expect(isError, text).toBe(false);
        expect(leaksIn(text + JSON.stringify(structured), other), tool).toEqual([]);
      }
      const resources = JSON.stringify(await host.client.listResources());
      expect(leaksIn(resources, other)).toEqual([]);
      const written = await host.call('list_writes');
      expect(leaksIn(JSON.stringify(written), own)).toContain([...own.own][0]);
    }
  });

  test('cannot use an id of the other one: it does not exist for it', async () => {
    const host = await hostOf(ann);
    for (const [tool, args] of [
      ['list_accounts', { budget_id: bob.budgetId }],
      ['get_category', { category_id: bob.categoryId }],
      ['list_category_transactions', { category_id: bob.categoryId }],
      ['delete_transaction', { transaction_id: bob.transactionId }],
      ['update_category', { category_id: bob.categoryId, note: 'Changed by Ann' }],
      [
        'create_transactions',
        { budget_id: bob.budgetId, transactions: [{ account_id: 'Checking', date: 'today', amount: -1 }] },
      ],
    ] as const) {
      const { text, isError } = await host.call(tool, args);
      expect(isError, `${tool}: ${text}`).toBe(true);
      expect(
        leaksIn(
          text.replaceAll(bob.budgetId, '').replaceAll(bob.categoryId, '').replaceAll(bob.transactionId, ''),
          bob,
        ),
      ).toEqual([]);
    }
    await expect(host.read(`budget://v1/budgets/${bob.budgetId}/accounts`)).rejects.toThrow();
    expect(JSON.stringify(await hosted.get(bob.person, `/budgets/${bob.budgetId}`))).not.toContain(
      'Changed by Ann',
    );
  });

  test('does not complete names or ids of the other one', async () => {
    const host = await hostOf(ann);
    const { resourceTemplates } = await host.client.listResourceTemplates();
    let asked = 0;
    for (const { uriTemplate } of resourceTemplates)
      for (const [, name = ''] of uriTemplate.matchAll(/\{(\w+)\}/g)) {
        const { completion } = await host.client.complete({
          ref: { type: 'ref/resource', uri: uriTemplate },
          argument: { name, value: '' },
        });
        asked += 1;
        expect(leaksIn(JSON.stringify(completion), bob)).toEqual([]);
      }
    expect(asked).toBeGreaterThan(3);
  });

  test('undoes its own last write only', async () => {
    const [hostOfAnn, hostOfBob] = [await hostOf(ann), await hostOf(bob)];
    await lunch(hostOfBob, 'Second lantern of Bob');
    const before = await hosted.get(bob.person, `/budgets/${bob.budgetId}/transactions`);
    await lunch(hostOfAnn, 'Second lantern of Ann');
    const { text, isError } = await hostOfAnn.call('undo');
    expect(isError, text).toBe(false);
    expect(text).not.toContain('Bob');
    expect(await hosted.get(bob.person, `/budgets/${bob.budgetId}/transactions`)).toEqual(before);
    const writes = JSON.stringify(await hostOfBob.call('list_writes'));
    expect(writes).toContain('Second lantern of Bob');
    expect(leaksIn(writes, ann)).toEqual([]);
  });

  test('is not notified of changes of the other one', async () => {
    const [hostOfAnn, hostOfBob] = [await hostOf(ann), await hostOf(bob)];
    const uri = ({ budgetId }: Stranger, path: string) => `budget://v1/budgets/${budgetId}/${path}`;
    await hostOfAnn.call('refresh_budget');
    await hostOfBob.call('refresh_budget');
    await hostOfAnn.subscribe(uri(ann, 'accounts'), uri(ann, 'payees'));
    await hostOfBob.subscribe(uri(bob, 'accounts'));
    await lunch(hostOfBob, `Lantern of Bob in ${era}`);
    expect(await hostOfBob.nextUpdate()).toBe(uri(bob, 'accounts'));
    // What comes after it would come later than a notification of the other one's change.
    await lunch(hostOfAnn, `Lantern of Ann in ${era}`);
    const updates = new Set([
      await hostOfAnn.nextUpdate(),
      await hostOfAnn.nextUpdate(),
      ...hostOfAnn.updates,
    ]);
    expect(updates).toEqual(new Set([uri(ann, 'accounts'), uri(ann, 'payees')]));
  });

  test('has requests of its own: those of the other one are not counted', async () => {
    const used = async (host: Host) => {
      const { structured } = await host.call('get_status');
      return z.object({ requests: z.object({ used: z.number() }) }).parse(structured).requests.used;
    };
    const [hostOfAnn, hostOfBob] = [await hostOf(ann), await hostOf(bob)];
    const before = await used(hostOfAnn);
    for (let count = 0; count < 3; count += 1) await hostOfBob.call('refresh_budget');
    expect(await used(hostOfAnn)).toBe(before);
    expect(await used(hostOfBob)).toBeGreaterThanOrEqual(3);
  });
});

describe('in the older protocol era', () => {
  const initialize = {
    jsonrpc: '2.0',
    id: 'the same id',
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  };
  const begin = async ({ signedIn }: Stranger) => {
    const response = await signedIn.post(initialize);
    await response.text();
    return response.headers.get('mcp-session-id') ?? '';
  };

  test('a session cannot be used or ended with the token of another person', async () => {
    const id = await begin(ann);
    const headers = { 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' };
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    for (const method of ['POST', 'GET', 'DELETE']) {
      const response = await fetch(hosted.url, {
        method,
        headers: {
          ...headers,
          authorization: `Bearer ${bob.signedIn.tokens.access_token}`,
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
        },
        ...(method === 'POST' && { body: JSON.stringify(list) }),
      });
      expect(response.status, method).toBe(404);
    }
    expect((await ann.signedIn.post(list, headers)).status).toBe(200);
  });
});

test('a call of one person cannot be cancelled by another one, even with the same id', async () => {
  const account = await hosted.account(ann.person);
  await account.submit('settings', { time_zone: '', budget: '', confirm: 'writes' });
  onTestFinished(async () => {
    await (await hosted.account(ann.person)).submit('settings', { time_zone: '', budget: '', confirm: '' });
  });
  const hostOfBob = await connected(connectLegacy({ http: bob.signedIn.http }));
  const cancelAll = async () => {
    for (let requestId = 0; requestId < 20; requestId += 1)
      await hostOfBob.client.notification({ method: 'notifications/cancelled', params: { requestId } });
    await hostOfBob.call('get_status');
    return 'accept' as const;
  };
  const hostOfAnn = await connected(connectLegacy({ http: ann.signedIn.http, person: cancelAll }));
  expect(await lunch(hostOfAnn, 'Lantern that Bob cancels')).toContain('Lantern that Bob cancels');
});

test('a question to one person cannot be answered by another one', async () => {
  const account = await hosted.account(ann.person);
  await account.submit('settings', { time_zone: '', budget: '', confirm: 'writes' });
  onTestFinished(async () => {
    await (await hosted.account(ann.person)).submit('settings', { time_zone: '', budget: '', confirm: '' });
  });
  const args = {
    transactions: [{ account_id: 'Checking', date: 'today', amount: -9, payee_name: 'Asked lantern' }],
  };
  const capabilities = { elicitation: { form: {} } };
  const asked = await ann.signedIn.call('create_transactions', args, { capabilities });
  const { result } = questionSchema.parse(await asked.json());
  const [name = ''] = Object.keys(result.inputRequests);
  const answered = {
    requestState: result.requestState,
    inputResponses: { [name]: { action: 'accept', content: {} } },
  };
  const transactionsOf = async (each: Stranger) =>
    JSON.stringify(await hosted.get(each.person, `/budgets/${each.budgetId}/transactions`));
  const ofBob = await bob.signedIn.call('create_transactions', args, { capabilities, params: answered });
  const text = await ofBob.text();
  expect(leaksIn(text, ann)).toEqual([]);
  expect(await transactionsOf(ann)).not.toContain('Asked lantern');
  const ofAnn = await ann.signedIn.call('create_transactions', args, { capabilities, params: answered });
  expect(ofAnn.status).toBe(200);
  expect(await transactionsOf(ann)).toContain('Asked lantern');
});

const questionSchema = z.object({
  result: z.object({
    resultType: z.literal('input_required'),
    requestState: z.string(),
    inputRequests: z.record(z.string(), z.unknown()),
  }),
});
