import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noBrowser } from '../browser.helper.ts';
import { connectLegacy, type Host } from '../hosts.helper.ts';
import { ViewHost } from './view-host.helper.ts';

let host: Host;
beforeAll(async () => {
  host = await connectLegacy({ views: true, env: { BUDGET_MCP_STRUCTURED: 'false' } });
});
afterAll(async () => {
  await host.close();
});

describe.skipIf(noBrowser)('the view of check_month', () => {
  test('a person goes to the month before, opens a group, and asks for the transactions of a category', async () => {
    const viewHost = await ViewHost.start();
    const view = await viewHost.show(host.client, 'check_month', {});
    const { frame } = view;
    const title = () => frame.locator('h1').innerText();
    const now = await title();
    await frame.getByRole('button', { name: 'Month before' }).press('Enter');
    await view.settled();
    expect(await title()).not.toBe(now);
    expect(await frame.locator(':focus').getAttribute('aria-label')).toBe('Month before');
    await frame.getByRole('combobox', { name: 'Month' }).selectOption({ label: now });
    await view.settled();
    expect(await title()).toBe(now);

    const group = frame.getByRole('button', { name: 'Everyday' });
    const category = frame.getByRole('button', { name: 'Groceries' });
    expect([await group.getAttribute('aria-expanded'), await category.isVisible()]).toEqual(['false', false]);
    await group.press('Enter');
    expect([await group.getAttribute('aria-expanded'), await category.isVisible()]).toEqual(['true', true]);
    await category.press('Enter');
    await view.settled();
    expect(await title()).toBe('Transactions');
    expect(view.calls.map(({ name }) => name)).toEqual(['check_month', 'check_month', 'find_transactions']);
    await expect.poll(async () => (await view.contexts()).at(-1)).toContain('category "Groceries"');
    expect(view.problems).toEqual([]);
  });

  test('a person sees only the categories that are overspent, or those that are underfunded', async () => {
    const viewHost = await ViewHost.start();
    const view = await viewHost.show(host.client, 'check_month', {});
    const { frame } = view;
    for (const kind of ['Overspent', 'Underfunded']) {
      const choice = frame.getByRole('button', { name: new RegExp(`^${kind} \\d`) });
      const count = Number((await choice.innerText()).replaceAll(/\D/g, ''));
      await choice.press('Enter');
      expect(await choice.getAttribute('aria-pressed')).toBe('true');
      const rows = frame.getByRole('region', { name: 'Categories' }).locator('tbody tr:not(.group)');
      expect(await rows.count()).toBe(count);
      expect(await rows.first().isVisible()).toBe(true);
    }
    // Each amount is isolated, so that a symbol from right to left does not move the words and numbers after it.
    const notes = await frame.locator('small.warn').count();
    expect(notes).toBeGreaterThan(0);
    expect(await frame.locator('small.warn .money').count()).toBe(2 * notes);
    expect(view.calls).toEqual([]);
  });
});
