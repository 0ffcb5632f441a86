/** Words, numbers, dates and bars in the views agree with one another. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addMonths } from '../../src/base/calendar.ts';
import { datesFor } from '../../src/views/dates.ts';
import { noBrowser } from '../browser.helper.ts';
import { connectModern, type Host } from '../hosts.helper.ts';
import { type Look, type ShownView, ViewHost } from './view-host.helper.ts';

const today = new Date().toISOString().slice(0, 10);
const nextMonth = addMonths(today, 1).slice(0, 7);

let host: Host;
beforeAll(async () => {
  host = await connectModern({ views: true, env: { BUDGET_MCP_STRUCTURED: 'false' } });
});
afterAll(async () => {
  await host.close();
});

/** Without motion, so that a bar has its length at once. */
async function shown(tool: string, args: Record<string, unknown>, look: Look = {}): Promise<ShownView> {
  const viewHost = await ViewHost.start();
  return viewHost.show(host.client, tool, args, { reducedMotion: true, ...look });
}

/** An amount as the household writes it, in currency units. */
const units = (text: string | undefined) =>
  Number(
    (text ?? '')
      .replace('−', '-')
      .replaceAll(/[^\d,-]/g, '')
      .replace(',', '.'),
  );

interface Bar {
  readonly kind: string;
  readonly part: number;
  readonly mark: number | null;
  readonly cells: readonly string[];
}

/** The bars that are seen, with the amounts in their rows. */
const barsOf = ({ frame }: ShownView): Promise<Bar[]> =>
  frame.evaluate(`[...document.querySelectorAll('.meter')].filter((each) => each.checkVisibility()).map((meter) => {
    const width = (of) => of.getBoundingClientRect().width;
    const mark = meter.querySelector('b');
    const from = () => mark.getBoundingClientRect().left + 1 - meter.getBoundingClientRect().left;
    return {
      kind: meter.className,
      part: width(meter.querySelector('i')) / width(meter),
      mark: mark && from() / width(meter),
      cells: [...meter.closest('tr').querySelectorAll('td .money')].map((each) => each.textContent),
    };
  })`);

const legendsOf = ({ frame }: ShownView) => frame.locator('.key').allInnerTexts();

const move = { from: 'New Bicycle', to: 'Hobbies', amount: 33.01, dry_run: true };

describe.skipIf(noBrowser)('a person who looks at', () => {
  test('a write reads in the title what it does, and sees the change and what there was before at every width', async () => {
    const view = await shown('move_budgeted', move);
    const month = datesFor('en').month(today);
    const title = await view.frame.locator('h1').innerText();
    expect(title.replaceAll('\u00a0', ' ')).toBe(`Move 33,01 € from New Bicycle to Hobbies, ${month}`);
    for (const width of [360, 800, 1280]) {
      await view.page.setViewportSize({ width, height: 900 });
      const table = view.frame.getByRole('table').last();
      const row = await table.locator('tr', { hasText: 'New Bicycle' }).innerText();
      const amounts = row.split(/\s{2,}|\t|\n/).filter((text) => /\d/.test(text));
      const [change, ...others] = amounts.map(units);
      expect(change, row).toBe(-33.01);
      expect(others).toHaveLength(2);
      expect(Math.abs((others[0] ?? 0) - (others[1] ?? 0)), row).toBeCloseTo(33.01, 2);
    }
  });

  test('a write finds all its numbers at the end of their column', async () => {
    const view = await shown('move_budgeted', move);
    const ends = await view.frame.evaluate<number[]>(
      `[...document.querySelectorAll('td')].filter((each) => each.checkVisibility() && /\\d/.test(each.textContent))
        .map((cell) => Math.round(cell.getBoundingClientRect().right - cell.querySelector('.money').getBoundingClientRect().right))`,
    );
    expect(ends.length).toBeGreaterThanOrEqual(10);
    expect(new Set(ends)).toEqual(new Set([0]));
  });

  test.each([
    ['find_transactions', { since: '2025-06' }],
    ['check_month', { month: nextMonth }],
    [
      'create_transactions',
      { transactions: [{ account_id: 'Checking', date: '2026-11-20', amount: -1 }], dry_run: true },
    ],
  ] as const)('%s at 360 pixels reads each date on one line', async (tool, args) => {
    const view = await shown(tool, args, { width: 360 });
    const lines = await view.frame.evaluate<number[]>(
      `[...document.querySelectorAll('time, .when, .day')].filter((each) => each.checkVisibility()).map((each) => {
        const range = document.createRange();
        range.selectNodeContents(each.firstChild);
        return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
      })`,
    );
    expect(lines.length).toBeGreaterThan(0);
    expect(new Set(lines)).toEqual(new Set([1]));
  });

  test('transactions reads counts with the separator of the amounts, a word where there is no category, and all categories of a scheduled split', async () => {
    const view = await shown('find_transactions', {}, { width: 800 });
    const { frame } = view;
    expect(await frame.locator('dd').nth(1).innerText()).toMatch(/^\d\.\d{3}$/);
    expect(await frame.getByRole('status').last().innerText()).toMatch(/^60 of \d\.\d{3} shown\.$/);
    const categories = await frame.locator('tbody tr > :nth-child(3)').allInnerTexts();
    expect(categories).toContain('No category');
    expect(categories).not.toContain('');
    await view.page.setViewportSize({ width: 360, height: 900 });
    expect(await frame.locator('tbody small.narrow').allInnerTexts()).toContain('No category · Checking');
    const month = await shown('check_month', { month: nextMonth }, { width: 800 });
    const scheduled = await month.frame.locator('tbody').last().locator('tr > :nth-child(3)').allInnerTexts();
    expect(scheduled).toContain('Groceries, Pets');
    expect(scheduled).not.toContain('');
  });

  test('a report finds a bar that is as long as its amount, a tick at what is budgeted, and what both are', async () => {
    const view = await shown('report', { of: 'spending', by: 'category' });
    await view.frame.getByRole('button', { name: /^Show \d+ more$/ }).click();
    const bars = await barsOf(view);
    const legend = await legendsOf(view);
    expect(legend).toEqual(expect.arrayContaining(['Spending', 'Budgeted', 'Not to scale']));
    expect(legend.includes('Over budget')).toBe(bars.some(({ kind }) => kind.includes('over')));
    const others = bars.filter(({ kind }) => !kind.includes('broken'));
    expect(others).toHaveLength(bars.length - 1);
    // The mortgage is larger than all others, which can be compared all the same.
    expect(Math.max(...others.map(({ part, mark }) => Math.max(part, mark ?? 0)))).toBeCloseTo(0.85, 2);
    const scale = Math.max(...others.flatMap(({ cells }) => [units(cells[0]), units(cells.at(-1))])) / 0.85;
    for (const { kind, part, mark, cells } of others) {
      const [spent, budgeted] = [units(cells[0]), units(cells.at(-1))];
      expect(part, cells.join()).toBeCloseTo(spent / scale, 2);
      if (mark !== null) expect(mark, cells.join()).toBeCloseTo(budgeted / scale, 2);
      expect(kind.includes('over'), cells.join()).toBe(budgeted > 0 && spent > budgeted);
    }
    expect(await view.frame.locator('thead').last().innerText()).toContain('Share of spending');
  });

  test('a month finds bars that agree with what is spent and what is left, and what their colours are', async () => {
    const view = await shown('check_month', {});
    await view.frame.evaluate(
      'for (const each of document.querySelectorAll(".toggle[aria-expanded=false]")) each.click()',
    );
    const bars = await barsOf(view);
    const isBelow = bars.some(({ kind }) => kind.includes('below'));
    expect(await legendsOf(view)).toEqual(['Spending', 'Left', ...(isBelow ? ['Below zero'] : [])]);
    expect(bars.length).toBeGreaterThan(10);
    for (const { kind, part, cells } of bars) {
      const [, spent = 0, left = 0] = cells.map(units);
      expect(kind.includes('below'), cells.join()).toBe(left < 0);
      expect(part, cells.join()).toBeCloseTo(left < 0 ? 1 : Math.max(0, spent / (spent + left)), 2);
    }
    // Another percentage beside the bar would not agree with it.
    expect(await view.frame.locator('section.list').innerText()).not.toContain('%');
  });

  test('net worth sees its change: as an amount, and in a line between the lowest and the highest, which are labelled', async () => {
    const view = await shown('report', { of: 'net_worth', by: 'account', monthly: true });
    const { frame } = view;
    const change = frame.locator('.figures div', { hasText: 'Change since ' });
    expect(units(await change.locator('dd').innerText())).toBeGreaterThan(0);
    await frame.getByText('As a table').click();
    const worth = (await frame.locator('details td:last-child').allInnerTexts()).map(units);
    const axis = (await frame.locator('.axis').allInnerTexts()).map(units);
    expect(axis).toEqual([Math.max(...worth), Math.min(...worth)]);
    const heights = await frame.evaluate<number[]>(
      `[...document.querySelectorAll('.point')].map((point) => point.getBoundingClientRect().top + 3.5
        - point.parentElement.getBoundingClientRect().top)`,
    );
    const [top = 0, bottom = 0] = axis;
    for (const [index, height] of heights.entries())
      expect(1 - height / 84).toBeCloseTo(((worth[index] ?? 0) - bottom) / (top - bottom), 2);
    expect(await frame.locator('.key').first().innerText()).toBe('Net worth');
  });
});
