import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eras, type Host } from '../hosts.helper.ts';
import { Household } from '../household.helper.ts';
import { type HttpProgram, startHttpProgram } from '../http-program.helper.ts';
import { someIds } from '../ids.helper.ts';

let home: Household;
let program: HttpProgram;
beforeAll(async () => {
  home = await Household.start();
  program = await startHttpProgram([], home.env());
});
afterAll(async () => {
  await program.stop();
  await home.close();
});

/** Changes a category's note without the server. */
async function note(text: string): Promise<void> {
  const { id } = await home.category('Groceries');
  await home.write('PATCH', `categories/${id}`, { category: { note: text } });
}

const uri = (path: string) => `budget://v1/budgets/${home.budgetId}/${path}`;

describe.each(eras)('a host that speaks %s', (era, connect) => {
  describe.each([
    ['a pipe', () => connect({ args: ['serve'], env: home.env() })],
    ['HTTP', () => connect({ http: { url: program.url } })],
  ])('over %s', (over, started) => {
    let host: Host;
    beforeAll(async () => {
      host = await started();
      // From now on the budget is cached.
      await host.call('refresh_budget');
    });
    afterAll(() => host.close());

    test('a host is notified of the resources that it subscribed to, after a sync and after a write', async () => {
      await host.subscribe(uri('categories'));
      await note(`Changed elsewhere, for ${era} over ${over}`);
      await host.call('refresh_budget');
      expect(await host.nextUpdate()).toBe(uri('categories'));
      const { id } = await home.category('Groceries');
      await host.call('update_category', { category_id: id, note: `By ${era} over ${over}` });
      expect(await host.nextUpdate()).toBe(uri('categories'));
      expect(host.updates).toEqual([]);
    });

    test('a host is not notified after it has unsubscribed', async () => {
      await host.unsubscribe();
      await host.subscribe(uri('payees'));
      const { payee_id } = await someIds(home.service);
      await host.call('update_payee', { payee_id, name: `Heard by ${era} over ${over}` });
      expect(await host.nextUpdate()).toBe(uri('payees'));
      expect(host.updates).toEqual([]);
    });

    test('a subscription to one resource too many is refused', async () => {
      const uris = Array.from({ length: 257 }, (_, at) => uri(`transactions?limit=${at + 1}`));
      await expect(host.subscribe(...uris)).rejects.toThrow('At most 256 resources');
      await host.unsubscribe();
    });

    test('a host sees in the capabilities that it may subscribe', () => {
      expect(host.client.getServerCapabilities()).toMatchObject({ resources: { subscribe: true } });
    });
  });
});

test('a host of the older era gets an error for a subscription to an unknown resource', async () => {
  const host = await eras[1][1]({ http: { url: program.url } });
  await expect(host.subscribe('budget://v1/nothing')).rejects.toMatchObject({ code: -32602 });
  await host.close();
});
