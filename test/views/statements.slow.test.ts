import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noBrowser } from '../browser.helper.ts';
import { connectModern, type Host } from '../hosts.helper.ts';
import { inEveryLook } from '../page-faults.helper.ts';
import { ViewHost } from './view-host.helper.ts';

let host: Host;
beforeAll(async () => {
  host = await connectModern({ views: true, env: { BUDGET_MCP_STRUCTURED: 'false' } });
});
afterAll(async () => {
  await host.close();
});

const rows = (count: number) =>
  Array.from(
    { length: count },
    (_, each) => `2026-11-${10 + (each % 9)},Hidden Tailor ${each},-${each + 1}.25`,
  );
const csv = (name: string, count: number) => ({
  name,
  mimeType: 'text/csv',
  buffer: Buffer.from(`Date,Payee,Amount\n${rows(count).join('\n')}\n`),
});

describe.skipIf(noBrowser)('the view of list_statements', () => {
  test('a person chooses a file, it arrives in parts, and the model learns its name, period and number of rows', async () => {
    const viewHost = await ViewHost.start();
    const view = await viewHost.show(host.client, 'list_statements', {});
    const { frame } = view;
    const file = frame.getByLabel('Choose a file that you have exported at your bank');
    const large = csv('november "1".csv', 9_900);
    expect(large.buffer.length).toBeGreaterThan(360_000);
    await file.setInputFiles(large);
    await expect
      .poll(() => view.contexts())
      .toEqual([
        'In the view, the user now looks at an answer of upload_statement: A file has arrived: "november \\"1\\".csv", 9900 rows from 2026-11-10 to 2026-11-18. For an hour, reconcile_account and enter_statement take it by this name',
      ]);
    expect(view.calls.map(({ name, args }) => [name, args['at']])).toEqual([
      ['upload_statement', 0],
      ['upload_statement', 360_000],
    ]);
    expect(await frame.getByRole('row').nth(1).innerText()).toMatch(
      /november "1"\.csv[\s\S]*CSV[\s\S]*9,?900/,
    );
    expect(await frame.locator('main').innerText()).not.toContain('Tailor');
    await inEveryLook(view.page, async (look, faultsIn) => expect(await faultsIn(frame), look).toEqual([]));
    expect(view.problems).toEqual([]);

    const compared = await viewHost.show(host.client, 'reconcile_account', {
      account: 'Checking',
      statement: 'november "1".csv',
    });
    expect(await compared.frame.locator('h1').innerText()).toBe('Checking');
    expect(await compared.frame.locator('tbody tr').first().innerText()).toMatch(
      /Hidden Tailor \d+[\s\S]*missing in the account/,
    );
    expect(await compared.frame.locator('[data-key]').count()).toBe(0);
  });

  test('a file that is refused is named with its reason, and another one can be chosen', async () => {
    const viewHost = await ViewHost.start();
    const { frame, contexts } = await viewHost
      .show(host.client, 'list_statements', {})
      .then((view) => ({ frame: view.frame, contexts: () => view.contexts() }));
    const file = frame.getByLabel('Choose a file that you have exported at your bank');
    await file.setInputFiles({ name: 'a.xlsx', mimeType: '', buffer: Buffer.from('PK\u0003\u0004') });
    await expect.poll(() => frame.getByRole('status').last().innerText()).toContain('a spreadsheet');
    await file.setInputFiles({ name: 'b.csv', mimeType: '', buffer: Buffer.alloc(4 * 2 ** 20 + 1) });
    await expect.poll(() => frame.getByRole('status').first().innerText()).toContain('larger than 4 MB');
    expect(await contexts()).toEqual([]);
    await file.setInputFiles(csv('c.csv', 2));
    await expect.poll(() => frame.getByRole('row').count()).toBeGreaterThan(1);
  });

  test('a host that lets views call no tools gets no field', async () => {
    const viewHost = await ViewHost.start();
    const { frame } = await viewHost.show(host.client, 'list_statements', {}, { canCall: false });
    expect(await frame.locator('input').count()).toBe(0);
    expect(await frame.locator('main').innerText()).toContain('lets the view send no file');
  });
});
