/** Draws a month of the budget: what is left in each category, what lacks money, and what is still to be paid. */
import type { MonthContent } from '../features/month/month-schema.ts';
import { categoryTable } from './category-table.ts';
import {
  button,
  el,
  figure,
  figures,
  leftOutRemark,
  name,
  note,
  phrase,
  remark,
  section,
  separated,
} from './element.ts';
import type { Drawing, Drawn } from './page.ts';
import { amountCell, type Column, rowName, table, tableRow } from './table.ts';

type Categories = NonNullable<MonthContent['categories']>;

export function drawMonth(content: MonthContent, drawing: Drawing): Drawn {
  const { month, categories, uncoveredCards } = content;
  return {
    title: drawing.dates.month(month),
    subtitle: ['The budget at a glance'],
    body: [
      monthPicker(content, drawing),
      categories ? figuresOf(categories, drawing) : remark('The budget has no amounts for this month yet.'),
      openTransactions(content, drawing),
      categories && categoryTable(categories, month, drawing),
      uncoveredCards.length > 0 && cardsOf(uncoveredCards, drawing),
      scheduledOf(content.scheduled, drawing),
      leftOutRemark(content.leftOut),
    ],
  };
}

function monthPicker({ month, months }: MonthContent, { ask, dates }: Drawing): HTMLElement | false {
  if (!ask) return false;
  const at = months.indexOf(month);
  const show = (other: string) => ask({ tool: 'check_month', args: { month: other } });
  const step = (key: string, label: string, sign: string, other: string | undefined) =>
    button(
      'step',
      () => other !== undefined && show(other),
      { 'data-key': key, 'aria-label': label, disabled: other === undefined },
      sign,
    );
  const options = at === -1 ? [...months, month].toSorted() : months;
  const picker: HTMLSelectElement = el(
    'select',
    { 'aria-label': 'Month', 'data-key': 'month', onchange: () => show(picker.value) },
    ...options
      .toReversed()
      .map((each) => el('option', { value: each, selected: each === month }, dates.month(each))),
  );
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
  const categories = (total: number) => `${count(total)} ${total === 1 ? 'category' : 'categories'}`;
  return figures(
    figure('To be assigned', money(toBeAssigned), toBeAssigned < 0 ? 'main bad' : 'main'),
    figure(
      'Overspent',
      money(overspent.sum),
      overspent.total > 0 ? 'bad' : '',
      note(overspent.total === 0 ? 'none' : categories(overspent.total)),
    ),
    figure(
      'Underfunded',
      money(underfunded.sum),
      underfunded.total > 0 ? 'warn' : '',
      note(`${count(underfunded.total)} of ${count(goals)} goals`),
    ),
    figure('Left', money(left.sum), '', note(categories(left.total))),
  );
}

function openTransactions(
  { month, open: { need_category, need_approval } }: MonthContent,
  { ask, count }: Drawing,
): HTMLElement | false {
  const link = (total: number, text: string, type: string) => {
    const words = `${count(total)} ${total === 1 ? 'transaction' : 'transactions'} ${text}`;
    const press =
      ask && (() => ask({ tool: 'find_transactions', args: { type, since: month, until: month } }));
    return total > 0 && el('li', {}, rowName(words, type, press));
  };
  if (need_category + need_approval === 0) return false;
  return el(
    'ul',
    { class: 'open', 'aria-label': 'Not finished' },
    link(need_category, 'without a category', 'uncategorized'),
    link(need_approval, 'not approved', 'unapproved'),
  );
}

function cardsOf(cards: MonthContent['uncoveredCards'], { money }: Drawing): HTMLElement {
  const rows = cards.map((card) =>
    tableRow(
      name(card.name),
      amountCell(money(card.owed)),
      amountCell(money(card.set_aside)),
      amountCell(money(card.amount), 'bad'),
    ),
  );
  const columns: Column[] = [['Card'], ['Owed', 'amount'], ['Set aside', 'amount'], ['Lacks', 'amount']];
  return section(['Cards that are not covered'], table(columns, rows));
}

function scheduledOf(scheduled: MonthContent['scheduled'], drawing: Drawing): HTMLElement | false {
  const { payments, income, rows } = scheduled;
  const { money, count } = drawing;
  if (rows.length === 0) return false;
  const omitted = payments.total + income.total - rows.length;
  const sums = [
    payments.total > 0 && phrase(`payments ${money(payments.sum)}`),
    income.total > 0 && phrase(`income ${money(income.sum)}`),
  ].filter((each) => each !== false);
  return section(
    ['Still to come'],
    remark(...separated(sums)),
    table(
      [['Date'], ['Payee'], ['Category', 'extra'], ['Amount', 'amount']],
      rows.map((row) => dueRow(row, drawing)),
    ),
    omitted > 0 && remark(phrase(`${count(omitted)} more are not shown.`)),
  );
}

function dueRow(
  { first, last, times, payee, category, amount }: MonthContent['scheduled']['rows'][number],
  { money, dates, count }: Drawing,
): HTMLElement {
  return el(
    'tr',
    {},
    el(
      'td',
      { class: 'when' },
      times > 1 ? dates.shortRange(first, last) : dates.shortDay(first),
      times > 1 && note(`${count(times)} times`),
    ),
    el(
      'th',
      { scope: 'row' },
      payee === null ? el('span', { class: 'quiet' }, 'No payee') : name(payee),
      el('small', { class: 'narrow' }, name(category ?? 'No category')),
    ),
    el('td', { class: category === null ? 'extra quiet' : 'extra' }, name(category ?? 'No category')),
    amountCell(money(amount), amount > 0 ? 'good' : ''),
  );
}
