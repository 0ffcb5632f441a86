import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noBrowser } from '../browser.helper.ts';
import { connectModern, type Host } from '../hosts.helper.ts';
import { Household } from '../household.helper.ts';
import { type Result, type ShownView, ViewHost } from './view-host.helper.ts';

const ROWS = 10_000;

let household: Household;
let host: Host;
beforeAll(async () => {
  household = await Household.start({ transactions: ROWS });
  host = await connectModern({
    views: true,
    args: ['serve'],
    env: { ...household.env(), BUDGET_MCP_STRUCTURED: 'false' },
  });
});
afterAll(async () => {
  await host.close();
  await household.close();
});

const amounts = ({ frame }: ShownView) => frame.locator('tbody td.amount').allInnerTexts();
const units = (text: string) =>
  Number(
    text
      .replace('−', '-')
      .replaceAll(/[^\d,-]/g, '')
      .replace(',', '.'),
  );
const status = ({ frame }: ShownView) => frame.getByRole('status').last().innerText();

describe.skipIf(noBrowser)('the view of find_transactions', () => {
  test('10,000 rows are scrolled through page by page, with the keyboard', async () => {
    const viewHost = await ViewHost.start();
    const view = await viewHost.show(host.client, 'find_transactions', {});
    const { frame } = view;
    const count = () => frame.locator('tbody tr').count();
    const total = Number((await frame.locator('dd').nth(1).innerText()).replaceAll('.', ''));
    expect(total).toBeGreaterThanOrEqual(ROWS);
    expect(await count()).toBeLessThan(200);
    await frame.getByRole('region', { name: 'Transactions' }).focus();
    for (let before = 0; (await count()) < total; ) {
      before = await count();
      await view.page.keyboard.press('End');
      await expect.poll(count).toBeGreaterThan(before);
    }
    expect(await status(view)).toBe(`${total.toLocaleString('de')} of ${total.toLocaleString('de')} shown.`);
    // 500 rows are on a page of data, and the first page came with the result.
    expect(view.calls).toHaveLength(Math.ceil(total / 500) - 1);
    expect(view.calls.every(({ name, args }) => name === 'find_transactions' && 'cursor' in args)).toBe(true);
    expect(view.problems).toEqual([]);
    // What scrolls into sight is not told to the model.
    expect(await view.contexts()).toEqual([]);
  });

  test('a person sorts by a column and filters, over all rows and not only those that are shown', async () => {
    const viewHost = await ViewHost.start();
    const view = await viewHost.show(host.client, 'find_transactions', { since: '2025-06' });
    const { frame } = view;
    const sort = frame.getByRole('columnheader', { name: 'Amount' });
    await sort.getByRole('button').press('Enter');
    await expect.poll(() => sort.getAttribute('aria-sort')).toBe('descending');
    const descending = (await amounts(view)).map(units);
    expect(descending).toEqual(descending.toSorted((a, b) => b - a));
    await sort.getByRole('button').press('Enter');
    await expect.poll(() => sort.getAttribute('aria-sort')).toBe('ascending');
    const ascending = (await amounts(view)).map(units);
    expect(ascending).toEqual(ascending.toSorted((a, b) => a - b));
    expect(ascending[0]).toBeLessThan(descending.at(-1) ?? 0);

    const filter = frame.getByRole('searchbox', { name: 'Filter' });
    await filter.fill('greenleaf');
    await expect.poll(() => status(view)).toMatch(/^\d+ of [\d.]+ match\.$/);
    const payees = await frame.locator('tbody th bdi').first().innerText();
    expect(payees).toBe('Greenleaf Market');
    await filter.fill('no such payee');
    await expect.poll(() => frame.locator('tbody tr').count()).toBe(0);
  });

  test('a list whose rows could not be loaded can be scrolled on later', async () => {
    const viewHost = await ViewHost.start();
    let fails = false;
    const change = (result: Result): Result =>
      fails ? { content: [{ type: 'text', text: 'The rate budget is spent.' }], isError: true } : result;
    const view = await viewHost.show(host.client, 'find_transactions', {}, { change });
    const { frame } = view;
    const before = await frame.locator('tbody tr').count();
    fails = true;
    await frame.getByRole('columnheader', { name: 'Amount' }).getByRole('button').press('Enter');
    await expect.poll(() => status(view)).toBe('The rate budget is spent.');
    expect(await frame.locator('tbody tr').count()).toBe(before);
    fails = false;
    await frame.getByRole('button', { name: 'Show more' }).press('Enter');
    await expect.poll(() => frame.locator('tbody tr').count()).toBeGreaterThan(before);
  });

  test('a press on a payee and then on a category asks for the transactions of both', async () => {
    const viewHost = await ViewHost.start();
    const view = await viewHost.show(host.client, 'find_transactions', { text: 'market' });
    const { frame } = view;
    await frame.locator('tbody th').getByRole('button').first().press('Enter');
    await view.settled();
    await frame.locator('tbody td').getByRole('button').first().press('Enter');
    await view.settled();
    expect(view.calls.map(({ args }) => Object.keys(args).toSorted().join(' '))).toEqual([
      'budget_id payee text',
      'budget_id category payee text',
    ]);
    expect(await frame.locator('.subtitle').innerText()).toMatch(/Words: market · Category: .+ · Payee: .+/);
    await expect
      .poll(async () => (await view.contexts()).at(-1))
      .toContain('In the view, the user now looks at an answer of find_transactions: Budget "Household"');
  });

  test('what a review has found is beside the transactions', async () => {
    const viewHost = await ViewHost.start();
    const view = await viewHost.show(host.client, 'review_transactions', {});
    const { frame } = view;
    const texts = await frame.locator('tbody th').allInnerTexts();
    expect(texts.length).toBeGreaterThan(0);
    expect(texts.every((text) => /new payee|unusual amount/.test(text))).toBe(true);
    await frame.locator('tbody th').getByRole('button').first().press('Enter');
    await view.settled();
    expect(view.calls).toMatchObject([{ name: 'find_transactions' }]);
    expect(view.problems).toEqual([]);
  });
});
