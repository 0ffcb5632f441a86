import { describe, expect, onTestFinished, test } from 'vitest';
import { noBrowser } from '../browser.helper.ts';
import { eras } from '../hosts.helper.ts';
import { ViewHost } from './view-host.helper.ts';

describe.skipIf(noBrowser)('the view of report', () => {
  test.each(eras)(
    'a person picks a month, a category and a payee in the report, in a host of the era %s',
    async (_, connect) => {
      const host = await connect({ views: true, env: { BUDGET_MCP_STRUCTURED: 'false' } });
      onTestFinished(() => host.close());
      const viewHost = await ViewHost.start();
      const view = await viewHost.show(host.client, 'report', { of: 'spending', by: 'category' });
      const { frame } = view;
      const title = () => frame.locator('h1').innerText();
      const press = async (name: string | RegExp) => {
        await frame.getByRole('button', { name }).first().press('Enter');
        await view.settled();
      };

      expect(await title()).toBe('Spending by category');
      expect(await frame.getByRole('table').last().ariaSnapshot()).toContain('columnheader "Spent"');
      const months = frame.getByRole('group', { name: 'Pick a period' }).getByRole('button');
      expect(await months.count()).toBe(12);
      const before = await frame.locator('.subtitle').innerText();
      const month = await months.nth(9).getAttribute('title');
      await months.nth(9).press('Enter');
      await view.settled();
      expect(month).toContain(await frame.locator('.subtitle').innerText());
      expect(await frame.locator('.subtitle').innerText()).not.toBe(before);
      expect(await months.nth(9).getAttribute('aria-pressed')).toBe('true');
      // The keyboard stays where it was.
      expect(await frame.locator(':focus').getAttribute('title')).toBe(month);

      await press('Groceries');
      expect(await title()).toBe('Spending by payee');
      expect(await frame.locator(':focus').innerText()).toBe('Spending by payee');
      await press('Greenleaf Market');
      expect(view.calls.map(({ name }) => name)).toEqual(['report', 'report', 'find_transactions']);
      await expect
        .poll(() => view.contexts())
        .toEqual([expect.any(String), expect.stringContaining('category "Groceries"'), expect.any(String)]);

      await press('Back');
      await press('Back');
      expect(await title()).toBe('Spending by category');
      expect(await months.nth(9).getAttribute('aria-pressed')).toBe('true');
      const isAsHigh = async () => {
        const { height = 0 } = (await frame.locator('html').boundingBox()) ?? {};
        return (await view.heights()).at(-1) === Math.ceil(height);
      };
      await expect.poll(isAsHigh).toBe(true);
      expect(view.problems).toEqual([]);
    },
  );

  test('a press on what has no category asks for the same account', async () => {
    const [[, connect]] = eras;
    const host = await connect({ views: true, env: { BUDGET_MCP_STRUCTURED: 'false' } });
    onTestFinished(() => host.close());
    const viewHost = await ViewHost.start();
    const args = { of: 'spending', by: 'category', account: 'Checking' };
    const view = await viewHost.show(host.client, 'report', args);
    const { frame } = view;
    const more = frame.getByRole('button', { name: /^Show \d+ more$/ });
    if ((await more.count()) > 0) await more.press('Enter');
    await frame.getByRole('button', { name: 'Uncategorized' }).press('Enter');
    await view.settled();
    expect(view.calls.map(({ name, args }) => [name, args['type'], args['account']])).toEqual([
      ['find_transactions', 'uncategorized', 'Checking'],
    ]);
  });
});
