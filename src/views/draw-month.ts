/** Draws a month of the budget: what is left in each category, what lacks money, and what is still to be paid. */
import type { MonthContent } from '../features/month/month-content.ts';
import { amountCell, columnHead, rowName } from './amount-bar.ts';
import { categoryTable } from './category-table.ts';
import { el, name, phrase } from './element.ts';
import type { Drawing, Drawn } from './page.ts';

type Categories = NonNullable<MonthContent['categories']>;

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
      categories && categoryTable(categories, month, drawing),
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
  { money, count }: Drawing,
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
  const categories = (total: number) => `${count(total)} ${total === 1 ? 'category' : 'categories'}`;
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
      `${count(underfunded.total)} of ${count(goals)} goals`,
      underfunded.total > 0 ? 'warn' : '',
    ),
    figure('Left', left.sum, categories(left.total)),
  );
}

function openTransactions(
  { month, withoutCategory, withoutApproval }: MonthContent,
  { ask, count }: Drawing,
): HTMLElement | false {
  const link = (total: number, text: string, type: string) => {
    const words = `${count(total)} ${total === 1 ? 'transaction' : 'transactions'} ${text}`;
    const press =
      ask && (() => ask({ tool: 'find_transactions', args: { type, since: month, until: month } }));
    return total > 0 && el('li', {}, rowName(words, type, press));
  };
  if (withoutCategory + withoutApproval === 0) return false;
  return el(
    'ul',
    { class: 'open', 'aria-label': 'Not finished' },
    link(withoutCategory, 'without a category', 'uncategorized'),
    link(withoutApproval, 'not approved', 'unapproved'),
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
  { money, dates, count }: Drawing,
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
              row.times > 1 && el('small', {}, phrase(`${count(row.times)} times`)),
            ),
            el(
              'th',
              { scope: 'row' },
              row.payee === null ? el('span', { class: 'quiet' }, 'No payee') : name(row.payee),
              el('small', { class: 'narrow' }, name(row.category ?? 'No category')),
            ),
            el(
              'td',
              { class: row.category === null ? 'extra quiet' : 'extra' },
              name(row.category ?? 'No category'),
            ),
            amountCell(money(row.amount), row.amount > 0 ? 'good' : ''),
          ),
        ),
      ),
    ),
    omitted > 0 && el('p', { class: 'empty' }, phrase(`${count(omitted)} more are not shown.`)),
  );
}
