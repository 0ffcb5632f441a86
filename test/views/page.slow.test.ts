import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { VIEW_DATA_KEY, VIEW_DATA_VERSION } from '../../src/answers/view-data/version.ts';
import { noBrowser } from '../browser.helper.ts';
import { eras, type Host } from '../hosts.helper.ts';
import { layoutFaults, pageFaults } from '../page-faults.helper.ts';
import {
  type Look,
  type Result,
  resultSchema,
  type ShownView,
  type ViewClient,
  ViewHost,
} from './view-host.helper.ts';

const hosts = new Map<string, Host>();
let host: Host;
beforeAll(async () => {
  for (const [era, connect] of eras)
    hosts.set(era, await connect({ views: true, env: { BUDGET_MCP_STRUCTURED: 'false' } }));
  host = hosts.get(eras[0][0]) ?? expect.unreachable();
});
afterAll(async () => {
  for (const each of hosts.values()) await each.close();
});

const row = { account_id: 'Checking', date: '2026-11-20', amount: -12.34, category_id: 'Groceries' };
const calls: readonly (readonly [tool: string, args: Record<string, unknown>])[] = [
  ['report', { of: 'spending', by: 'category' }],
  ['report', { of: 'spending', by: 'group', since: '2026-09', until: '2026-11' }],
  ['report', { of: 'both', monthly: true }],
  ['report', { of: 'net_worth', by: 'account', monthly: true }],
  ['forecast', { until: '2027-02' }],
  ['forecast', { category: ['Groceries'], until: '2027-02' }],
  ['check_month', {}],
  ['find_transactions', {}],
  ['find_transactions', { text: 'nothing has this name' }],
  ['create_transactions', { transactions: [{ ...row, payee_name: 'New' }], dry_run: true }],
  ['move_budgeted', { from: 'New Bicycle', to: 'Hobbies', dry_run: true }],
];

const euro = { decimal_digits: 2, group_separator: '.', decimal_separator: ',', symbol_first: false };
const formats = {
  German: { ...euro, currency_symbol: '€', display_symbol: true },
  English: {
    ...euro,
    group_separator: ',',
    decimal_separator: '.',
    symbol_first: true,
    currency_symbol: '$',
    display_symbol: true,
  },
  Arabic: {
    ...euro,
    decimal_digits: 3,
    group_separator: '٬',
    decimal_separator: '٫',
    currency_symbol: 'د.ت',
    display_symbol: true,
  },
};

/** What comes from the budget of the user, in the data of all views. */
const NAMES = new Set(['name', 'payee', 'category', 'account', 'memo', 'what']);

/** The result with this format of amounts, and with `change` applied to all names in it. */
function withFormat(
  money: object,
  change: (name: string) => string = (name) => name,
): NonNullable<Look['change']> {
  const rename = (key: string, value: unknown) =>
    typeof value === 'string' && NAMES.has(key) ? change(value) : value;
  return (result: Result) => {
    const data: unknown = JSON.parse(JSON.stringify(result._meta?.[VIEW_DATA_KEY] ?? null, rename));
    const parsed = z.looseObject({ budget: z.looseObject({}) }).safeParse(data).data;
    if (!parsed) return result;
    return { ...result, _meta: { [VIEW_DATA_KEY]: { ...parsed, budget: { ...parsed.budget, money } } } };
  };
}

const locales = { German: 'de-DE', English: 'en-US', Arabic: 'ar-TN' } as const;

const themes = { light: 'rgb(255, 255, 255)', dark: 'rgb(31, 30, 29)' };

/** axe takes a second. It looks at the narrowest page and, in one language, at the widest, which has more columns. */
const everyLanguage = [
  ['light', 320, pageFaults],
  ['light', 360, layoutFaults],
] as const;
const allLooks = [
  ...everyLanguage,
  ['light', 800, layoutFaults],
  ['light', 1280, pageFaults],
  ['dark', 1280, pageFaults],
] as const;
const someLooks = [...everyLanguage, ['light', 1280, layoutFaults]] as const;

/** Every format, in turns in hosts of both eras. One of them is seen at every width, and in both themes at the widest. */
const languages = (['German', 'English', 'Arabic'] as const).map((format, index) => ({
  format,
  locale: locales[format],
  change: withFormat(formats[format]),
  looks: format === 'German' ? allLooks : someLooks,
  era: eras[index % eras.length]?.[0] ?? eras[0][0],
}));

/** Everything that a check in the frame of the view has to say. A column may be too narrow where the page is not. */
async function faultsOf({ frame, problems }: ShownView, faultsIn = pageFaults): Promise<string[]> {
  const tooNarrow = await frame.evaluate<string[]>(
    `[...document.querySelectorAll('.scroller, td, th')]
      .filter((each) => each.scrollWidth > each.clientWidth && each.checkVisibility())
      .map(({ tagName, className, textContent }) => [tagName, className, textContent.slice(0, 80)].join(' '))`,
  );
  return [...problems, ...(await faultsIn(frame)), ...tooNarrow.map((text) => `too narrow for ${text}`)];
}

/** Long words break where a page is narrower than a phone, and those without an end anywhere. */
const exceptWords = (faults: readonly string[]) => faults.filter((each) => !each.startsWith('broken: '));

describe.skipIf(noBrowser)('every view', () => {
  test.each(languages)(
    'it has no breach of the content policy, no fault that axe finds, real tables, and fits at every width: $format, in a host of the era $era',
    async ({ era, format: _, looks, ...look }) => {
      const host = hosts.get(era) ?? expect.unreachable();
      const viewHost = await ViewHost.start();
      for (const [tool, args] of calls) {
        const view = await viewHost.show(host.client, tool, args, look);
        const what = `${tool} ${JSON.stringify(args)}`;
        for (const [theme, width, faultsIn] of looks) {
          await view.send('sendHostContextChange', { theme });
          const background = () =>
            view.frame.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
          await expect.poll(background).toBe(themes[theme]);
          await view.page.setViewportSize({ width, height: 900 });
          await expect.poll(() => view.frame.evaluate('innerWidth')).toBe(width);
          const faults = await faultsOf(view, faultsIn);
          expect(width < 360 ? exceptWords(faults) : faults, `${what}, ${theme}, ${width} pixels`).toEqual(
            [],
          );
        }
        const tree = await view.frame.locator('main').ariaSnapshot();
        expect(tree, what).toMatch(/heading ".+" \[level=1\]/);
        if (args['text'] === undefined) expect(tree, what).toMatch(/- table:[\s\S]*columnheader ".+"/);
        expect(await view.frame.evaluate('document.dir'), what).toBe(
          look.locale.startsWith('ar') ? 'rtl' : 'ltr',
        );
        await view.page.close();
      }
    },
  );

  test('hostile names are text, do not widen the page, and do not hide the amounts beside them', async () => {
    const viewHost = await ViewHost.start();
    const hostile = [
      '<img src=x onerror="parent.postMessage(1)"><script>document.body.remove()</script>',
      'x'.repeat(10_000),
      '\u202eevil \u2066\u200f&amp; "quoted" \'single\' {{template}}',
    ];
    let at = 0;
    // The server cuts names of any length at 200 characters (`view-texts.test.ts`).
    const change = withFormat(formats.German, () => (hostile[at++ % hostile.length] ?? '').slice(0, 200));
    for (const [tool, args] of calls) {
      const view = await viewHost.show(host.client, tool, args, { width: 320, change });
      expect(exceptWords(await faultsOf(view, layoutFaults)), tool).toEqual([]);
      expect(await view.frame.locator('img, main script').count()).toBe(0);
      expect(await view.frame.locator('main').innerText()).toMatch(/<img src=x|xxxxxxxx|evil/);
      const height = (await view.heights()).at(-1) ?? 0;
      expect(height, tool).toBeLessThan(8_000);
      await view.page.close();
    }
  });

  test('the theme, the language and the width of the host may change while a view is shown', async () => {
    const viewHost = await ViewHost.start();
    const view = await viewHost.show(host.client, 'report', { of: 'spending', by: 'category' });
    const background = () =>
      view.frame.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
    const light = await background();
    await view.send('sendHostContextChange', { theme: 'dark' });
    await expect.poll(background).not.toBe(light);
    await view.send('sendHostContextChange', { locale: 'ar' });
    await expect.poll(() => view.frame.evaluate('document.dir')).toBe('rtl');
    await view.send('sendHostContextChange', {
      styles: { variables: { '--color-background-primary': 'rgb(1, 2, 3)' } },
    });
    await expect.poll(background).toBe('rgb(1, 2, 3)');
    const before = (await view.heights()).at(-1) ?? 0;
    await view.page.setViewportSize({ width: 300, height: 900 });
    await expect.poll(async () => ((await view.heights()).at(-1) ?? 0) > before).toBe(true);
    expect(view.problems).toEqual([]);
  });

  test('a view answers ping and teardown, and says that a call was cancelled', async () => {
    const viewHost = await ViewHost.start();
    const view = await viewHost.open(host.client, 'report');
    expect(await view.frame.getByRole('status').innerText()).toBe('Loading …');
    expect(await view.send('teardownResource', {})).toEqual({});
    expect(await view.page.evaluate('window.host.ping()')).toEqual({});
    await view.send('sendToolCancelled', { reason: 'user action' });
    await expect.poll(() => view.frame.getByRole('status').innerText()).toBe('The call was cancelled.');
    expect(await faultsOf(view)).toEqual([]);
  });

  test('what a view cannot draw is shown as the text of the result: errors, and data of another version', async () => {
    const viewHost = await ViewHost.start();
    const view = await viewHost.open(host.client, 'report');
    const text = 'Budget "Household" (EUR)\n<b>total</b> 12.00';
    const answers: readonly (readonly [Result, role: 'alert' | 'code'])[] = [
      [{ content: [{ type: 'text', text }], isError: true }, 'alert'],
      [{ content: [{ type: 'text', text }] }, 'code'],
      [{ content: [{ type: 'text', text }], _meta: { [VIEW_DATA_KEY]: { version: 99 } } }, 'code'],
      [
        {
          content: [{ type: 'text', text }],
          _meta: { [VIEW_DATA_KEY]: { version: VIEW_DATA_VERSION, content: {} } },
        },
        'code',
      ],
    ];
    for (const [answer, role] of answers) {
      await view.give({}, answer);
      expect(await view.frame.locator('pre').innerText()).toBe(text);
      await expect.poll(() => view.frame.getByRole('alert').count()).toBe(role === 'alert' ? 1 : 0);
      expect(await faultsOf(view)).toEqual([]);
    }
  });

  test('the Tab key reaches everything that can be used, in the order in which it is seen', async () => {
    const viewHost = await ViewHost.start();
    // A short list, because a long one grows while the focus moves through it.
    const short = ['find_transactions', { payee: 'Greenleaf Market', since: '2026-10' }] as const;
    const others = calls.filter(([tool]) => tool !== 'find_transactions');
    for (const [tool, args] of [short, ...others]) {
      const view = await viewHost.show(host.client, tool, args);
      const usable = await view.frame.evaluate<number>(
        `(usable = [...document.querySelectorAll('button, input, select, summary, [tabindex="0"]')]
          .filter((each) => !each.disabled && each.checkVisibility())).length`,
      );
      // The focus moves between processes only after a while, unless a person brings it there.
      await view.frame.locator('h1').click();
      await expect.poll(() => view.frame.evaluate('document.activeElement.tagName')).toBe('H1');
      await view.frame.evaluate(
        'reached = []; addEventListener("focusin", ({ target }) => reached.push(target))',
      );
      for (let presses = 0; presses < usable; presses++) await view.page.keyboard.press('Tab');
      expect(
        await view.frame.evaluate(
          'usable.length === reached.length && usable.every((each, at) => each === reached[at])',
        ),
        `${tool} ${JSON.stringify(args)}, ${usable} controls`,
      ).toBe(true);
      await view.page.close();
    }
  });

  test('a host that lets views call no tools gets nothing to press that would call one', async () => {
    const viewHost = await ViewHost.start();
    for (const [tool, args] of calls) {
      const view = await viewHost.show(host.client, tool, args, { canCall: false });
      expect(await view.frame.locator('[data-key]:enabled').count(), tool).toBe(0);
      expect(view.problems).toEqual([]);
      await view.page.close();
    }
  });

  test('nothing moves for people who do not want motion', async () => {
    const viewHost = await ViewHost.start();
    const durations = async (reducedMotion: boolean) => {
      const view = await viewHost.show(
        host.client,
        'report',
        { of: 'spending', by: 'category' },
        { reducedMotion },
      );
      return view.frame.evaluate<string[]>(
        '[...new Set([...document.querySelectorAll("*")].map((each) => getComputedStyle(each).transitionDuration))]',
      );
    };
    expect(await durations(true)).toEqual(['0s']);
    expect((await durations(false)).length).toBeGreaterThan(1);
  });

  test('a person who presses twice before there is an answer gets what was pressed last', async () => {
    const viewHost = await ViewHost.start();
    const view = await viewHost.show(host.client, 'report', { of: 'spending', by: 'category' });
    const { frame } = view;
    const before = await frame.locator('.subtitle').innerText();
    const months = frame.getByRole('group', { name: 'Pick a period' }).getByRole('button');
    const last = await months.nth(8).getAttribute('title');
    await frame.evaluate('for (const at of [2, 8]) document.querySelectorAll(".period")[at].click()');
    await expect.poll(() => frame.locator('.subtitle').innerText()).not.toBe(before);
    await view.settled();
    expect(view.calls).toHaveLength(2);
    expect(last).toContain(await frame.locator('.subtitle').innerText());
    await frame.getByRole('button', { name: 'Back' }).click();
    expect(await frame.locator('.subtitle').innerText()).toBe(before);
    expect(await frame.getByRole('button', { name: 'Back' }).count()).toBe(0);
  });

  test('the answer to a press is not shown if the host gives another result before it', async () => {
    const viewHost = await ViewHost.start();
    const given = await host.client.callTool({ name: 'report', arguments: { of: 'net_worth' } });
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    let answered = 0;
    const slow: ViewClient = {
      listTools: () => host.client.listTools(),
      readResource: (params) => host.client.readResource(params),
      async callTool(params) {
        if (params.arguments['category'] === undefined) return host.client.callTool(params);
        await opened;
        answered += 1;
        return host.client.callTool(params);
      },
    };
    const view = await viewHost.show(slow, 'report', { of: 'spending', by: 'category' });
    const { frame } = view;
    await frame.getByRole('button', { name: 'Groceries' }).click();
    await view.give({ of: 'net_worth' }, resultSchema.parse(given));
    open();
    await expect.poll(() => answered).toBe(1);
    // Its answer comes after that to the first press.
    await view.page.evaluate(
      "window.callTool('report', { of: 'spending', category: 'Groceries' }).then(() => window.host.ping())",
    );
    expect(await frame.locator('h1').innerText()).toBe('Net worth');
    expect(await frame.getByRole('button', { name: 'Back' }).count()).toBe(0);
    expect(await view.contexts()).toEqual([]);
  });

  test('a failed call of a view says why, and leaves what was shown', async () => {
    const viewHost = await ViewHost.start();
    let fails = false;
    const change = (result: Result): Result =>
      fails ? { content: [{ type: 'text', text: 'The rate budget is spent.' }], isError: true } : result;
    const view = await viewHost.show(host.client, 'report', { of: 'spending', by: 'category' }, { change });
    const before = await view.frame.locator('main').innerText();
    fails = true;
    await view.frame.getByRole('button', { name: 'Groceries' }).click();
    await expect.poll(() => view.frame.getByRole('status').innerText()).toBe('The rate budget is spent.');
    expect(await view.frame.locator('main').innerText()).toBe(before);
    expect(await view.contexts()).toEqual([]);
  });
});
