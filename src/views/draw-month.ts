/** Draws a month of the budget: what is left in each category, what lacks money, and what is still to be paid. */
import type { MonthContent } from '../view-data/month-content.ts';
import { amountBar, amountCell, columnHead, rowName } from './amount-bar.ts';
import { el, name, phrase } from './element.ts';
import type { Drawing, Drawn } from './page.ts';

type Categories = NonNullable<MonthContent['categories']>;
type Category = Categories['groups'][number]['categories'][number];

export function drawMonth(content: MonthContent, drawing: Drawing): Drawn {
  const { month, categories, uncoveredCards } = content;
  return {
    title: drawing.dates.month(month),
    subtitle: ['The budget at a glance'],
    body: [
      monthPicker(content, drawing),
      categories
        ? figuresOf(categories, drawing)
        : el('p', { class: 'empty' }, 'The budget has no amounts for this month yet.'),
      openTransactions(content, drawing),
      categories && tableOf(categories, month, drawing),
      uncoveredCards.length > 0 && cardsOf(uncoveredCards, drawing),
      scheduledOf(content.scheduled, drawing),
    ],
  };
}

function monthPicker({ month, months }: MonthContent, { ask, dates }: Drawing): HTMLElement | false {
  if (!ask) return false;
  const at = months.indexOf(month);
  const show = (other: string) => ask({ tool: 'check_month', args: { month: other } });
  const step = (key: string, label: string, sign: string, other: string | undefined) =>
    el(
      'button',
      {
        type: 'button',
        class: 'step',
        'data-key': key,
        'aria-label': label,
        disabled: other === undefined,
        onclick: () => other !== undefined && show(other),
      },
      sign,
    );
  const picker = document.createElement('select');
  picker.setAttribute('aria-label', 'Month');
  picker.dataset['key'] = 'month';
  const options = at === -1 ? [...months, month].toSorted() : months;
  picker.append(
    ...options
      .toReversed()
      .map((each) => el('option', { value: each, selected: each === month }, dates.month(each))),
  );
  picker.addEventListener('change', () => show(picker.value));
  return el(
    'nav',
    { class: 'steps', 'aria-label': 'Months' },
    step('before', 'Month before', '‹', months[at - 1]),
    picker,
    step('after', 'Month after', '›', at === -1 ? undefined : months[at + 1]),
  );
}

function figuresOf(
  { toBeAssigned, overspent, underfunded, goals, left }: Categories,
  { money, dates }: Drawing,
): HTMLElement {
  const figure = (label: string, amount: number, note = '', kind = '') =>
    el(
      'div',
      { class: kind },
      el('dt', {}, label),
      el(
        'dd',
        {},
        el('span', { class: 'money' }, money(amount)),
        note !== '' && el('small', {}, phrase(note)),
      ),
    );
  const categories = (count: number) => `${dates.count(count)} ${count === 1 ? 'category' : 'categories'}`;
  return el(
    'dl',
    { class: 'figures' },
    figure('To be assigned', toBeAssigned, '', toBeAssigned < 0 ? 'main bad' : 'main'),
    figure(
      'Overspent',
      overspent.sum,
      overspent.total === 0 ? 'none' : categories(overspent.total),
      overspent.total > 0 ? 'bad' : '',
    ),
    figure(
      'Underfunded',
      underfunded.sum,
      `${dates.count(underfunded.total)} of ${dates.count(goals)} goals`,
      underfunded.total > 0 ? 'warn' : '',
    ),
    figure('Left', left.sum, categories(left.total)),
  );
}

function openTransactions(
  { month, withoutCategory, withoutApproval }: MonthContent,
  { ask, dates }: Drawing,
): HTMLElement | false {
  const link = (count: number, text: string, type: string) => {
    const words = `${dates.count(count)} ${count === 1 ? 'transaction' : 'transactions'} ${text}`;
    const press =
      ask && (() => ask({ tool: 'find_transactions', args: { type, since: month, until: month } }));
    return count > 0 && el('li', {}, rowName(words, type, press));
  };
  if (withoutCategory + withoutApproval === 0) return false;
  return el(
    'ul',
    { class: 'open', 'aria-label': 'Not finished' },
    link(withoutCategory, 'without a category', 'uncategorized'),
    link(withoutApproval, 'not approved', 'unapproved'),
  );
}

const isOverspent = ({ left }: Category) => left < 0;
const isUnderfunded = ({ lacks }: Category) => lacks !== undefined;

function tableOf(
  { groups, omitted, overspent, underfunded }: Categories,
  month: string,
  drawing: Drawing,
): HTMLElement {
  const { dates } = drawing;
  const head = el(
    'thead',
    {},
    el(
      'tr',
      {},
      columnHead('Category'),
      columnHead('Budgeted', 'amount extra'),
      columnHead('Spent', 'amount'),
      columnHead('Left', 'amount'),
    ),
  );
  const table = el('table', {}, head);
  const draw = (isShown: (category: Category) => boolean, isAll: boolean) => {
    const bodies = groups.flatMap((group) => {
      const categories = group.categories.filter(isShown);
      const isOpen = !isAll || categories.some(isOverspent);
      return categories.length === 0 ? [] : [groupRows({ ...group, categories }, isOpen, month, drawing)];
    });
    table.replaceChildren(head, ...bodies);
  };
  const choices = [
    ['All', () => true, 1],
    [`Overspent ${dates.count(overspent.total)}`, isOverspent, overspent.total],
    [`Underfunded ${dates.count(underfunded.total)}`, isUnderfunded, underfunded.total],
  ] as const;
  const buttons = choices.flatMap(([label, isShown, count], index) => {
    if (count === 0) return [];
    const button: HTMLElement = el(
      'button',
      {
        type: 'button',
        class: 'choice',
        'aria-pressed': String(index === 0),
        onclick: () => {
          for (const each of buttons) each.setAttribute('aria-pressed', String(each === button));
          draw(isShown, index === 0);
        },
      },
      phrase(label),
    );
    return [button];
  });
  draw(() => true, true);
  return el(
    'section',
    { class: 'list', 'aria-label': 'Categories' },
    buttons.length > 1 && el('div', { class: 'choices', role: 'group', 'aria-label': 'Show' }, ...buttons),
    table,
    omitted > 0 &&
      el('p', { class: 'empty' }, phrase(`${dates.count(omitted)} more categories are not shown.`)),
  );
}

/** The sums of a group, and its categories, which a press shows or hides. */
function groupRows(
  group: Categories['groups'][number],
  isOpen: boolean,
  month: string,
  drawing: Drawing,
): HTMLElement {
  const { money } = drawing;
  const rows = group.categories.map((category) => categoryRow(category, month, drawing));
  const hide = (isHidden: boolean) => {
    for (const row of rows) row.hidden = isHidden;
  };
  const sum = (of: (category: Category) => number) =>
    group.categories.reduce((total, category) => total + of(category), 0);
  const toggle: HTMLElement = el(
    'button',
    {
      type: 'button',
      class: 'toggle',
      'aria-expanded': String(isOpen),
      onclick: () => {
        const isExpanded = toggle.getAttribute('aria-expanded') === 'true';
        toggle.setAttribute('aria-expanded', String(!isExpanded));
        hide(isExpanded);
      },
    },
    name(group.name),
  );
  hide(!isOpen);
  return el(
    'tbody',
    {},
    el(
      'tr',
      { class: 'group' },
      el('th', { scope: 'rowgroup' }, toggle),
      amountCell(money(sum(({ budgeted }) => budgeted)), 'extra quiet'),
      amountCell(money(-sum(({ activity }) => activity))),
      amountCell(money(sum(({ left }) => left))),
    ),
    ...rows,
  );
}

function categoryRow(category: Category, month: string, { money, dates, ask }: Drawing): HTMLElement {
  const { id, isHidden, budgeted, activity, left, lacks, goal, goalPercent } = category;
  const available = left - activity;
  const press =
    ask && (() => ask({ tool: 'find_transactions', args: { category: id, since: month, until: month } }));
  const leftKind = left < 0 ? 'bad' : left === 0 ? 'quiet' : 'good';
  return el(
    'tr',
    {},
    el(
      'th',
      { scope: 'row' },
      rowName(category.name, `category ${id}`, press),
      // How much of what there was is spent.
      amountBar(available > 0 ? -activity / available : left < 0 ? 1 : 0, { kind: left < 0 ? 'over' : '' }),
      lacks !== undefined &&
        el(
          'small',
          { class: 'warn' },
          phrase(
            `lacks ${money(lacks)}`,
            goal !== undefined && ` of ${money(goal)}`,
            goalPercent !== undefined && ` (${dates.percent(goalPercent / 100)})`,
          ),
        ),
      isHidden && el('small', {}, 'hidden'),
    ),
    el('td', { class: 'amount extra quiet' }, el('span', { class: 'money' }, money(budgeted))),
    amountCell(money(-activity), activity === 0 ? 'quiet' : ''),
    el(
      'td',
      { class: `amount left ${leftKind}` },
      el('span', { class: 'money' }, money(left)),
      left < 0 && el('small', { class: 'bad' }, 'overspent'),
    ),
  );
}

function cardsOf(cards: MonthContent['uncoveredCards'], { money }: Drawing): HTMLElement {
  return el(
    'section',
    {},
    el('h2', {}, 'Cards that are not covered'),
    el(
      'table',
      {},
      el(
        'thead',
        {},
        el(
          'tr',
          {},
          columnHead('Card'),
          columnHead('Owed', 'amount'),
          columnHead('Set aside', 'amount'),
          columnHead('Lacks', 'amount'),
        ),
      ),
      el(
        'tbody',
        {},
        ...cards.map((card) =>
          el(
            'tr',
            {},
            el('th', { scope: 'row' }, name(card.name)),
            amountCell(money(card.owed)),
            amountCell(money(card.setAside)),
            amountCell(money(card.lacks), 'bad'),
          ),
        ),
      ),
    ),
  );
}

function scheduledOf(
  { payments, income, rows }: MonthContent['scheduled'],
  { money, dates }: Drawing,
): HTMLElement | false {
  if (rows.length === 0) return false;
  const omitted = payments.total + income.total - rows.length;
  const sums = [
    payments.total > 0 && phrase(`payments ${money(payments.sum)}`),
    income.total > 0 && phrase(`income ${money(income.sum)}`),
  ].filter((each) => each !== false);
  return el(
    'section',
    {},
    el('h2', {}, 'Still to come'),
    el('p', { class: 'empty' }, ...sums.flatMap((each, index) => (index === 0 ? [each] : [' · ', each]))),
    el(
      'table',
      {},
      el(
        'thead',
        {},
        el(
          'tr',
          {},
          columnHead('Date'),
          columnHead('Payee'),
          columnHead('Category', 'extra'),
          columnHead('Amount', 'amount'),
        ),
      ),
      el(
        'tbody',
        {},
        ...rows.map((row) =>
          el(
            'tr',
            {},
            el(
              'td',
              { class: 'when' },
              row.times > 1 ? dates.shortRange(row.first, row.last) : dates.shortDay(row.first),
              row.times > 1 && el('small', {}, phrase(`${dates.count(row.times)} times`)),
            ),
            el(
              'th',
              { scope: 'row' },
              row.payee === null ? el('span', { class: 'quiet' }, 'No payee') : name(row.payee),
              row.category !== null && el('small', { class: 'narrow' }, name(row.category)),
            ),
            el('td', { class: 'extra' }, name(row.category ?? '')),
            amountCell(money(row.amount), row.amount > 0 ? 'good' : ''),
          ),
        ),
      ),
    ),
    omitted > 0 && el('p', { class: 'empty' }, phrase(`${dates.count(omitted)} more are not shown.`)),
  );
}
