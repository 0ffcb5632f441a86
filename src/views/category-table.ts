/** The categories of a month by group, of which a person can see all, or only those that lack money. */
import type { MonthContent } from '../features/month/month-schema.ts';
import { amountBar, legend } from './amount-bar.ts';
import { amountText, button, el, name, note, phrase, remark } from './element.ts';
import type { Drawing } from './page.ts';
import { amountCell, rowName, tableHead, tableRow } from './table.ts';

type Categories = NonNullable<MonthContent['categories']>;
type Category = Categories['groups'][number]['categories'][number];

const isOverspent = ({ left, isCard = false }: Category) => left < 0 && !isCard;
const isUnderfunded = ({ lacks }: Category) => lacks !== undefined;

export function categoryTable(
  { groups, omitted, overspent, underfunded }: Categories,
  month: string,
  drawing: Drawing,
): HTMLElement {
  const { count } = drawing;
  const head = tableHead([
    ['Category'],
    ['Budgeted', 'amount extra'],
    ['Spent', 'amount'],
    ['Left', 'amount'],
  ]);
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
    [`Overspent ${count(overspent.total)}`, isOverspent, overspent.total],
    [`Underfunded ${count(underfunded.total)}`, isUnderfunded, underfunded.total],
  ] as const;
  const buttons = choices.flatMap(([label, isShown, total], index) => {
    if (total === 0) return [];
    const isAll = index === 0;
    const show = () => {
      for (const each of buttons) each.setAttribute('aria-pressed', String(each === choice));
      draw(isShown, isAll);
    };
    const choice: HTMLElement = button('choice', show, { 'aria-pressed': String(isAll) }, phrase(label));
    return [choice];
  });
  draw(() => true, true);
  return el(
    'section',
    { class: 'list', 'aria-label': 'Categories' },
    buttons.length > 1 && el('div', { class: 'choices', role: 'group', 'aria-label': 'Show' }, ...buttons),
    legend([
      'spending',
      'left',
      ...(groups.some((group) => group.categories.some(({ left }) => left < 0)) ? (['below'] as const) : []),
    ]),
    table,
    omitted > 0 && remark(phrase(`${count(omitted)} more categories are not shown.`)),
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
  const press = () => {
    const isExpanded = toggle.getAttribute('aria-expanded') === 'true';
    toggle.setAttribute('aria-expanded', String(!isExpanded));
    hide(isExpanded);
  };
  const toggle = button('toggle', press, { 'aria-expanded': String(isOpen) }, name(group.name));
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

function categoryRow(category: Category, month: string, { money, ask }: Drawing): HTMLElement {
  const { id, isHidden, isCard, isSnoozed, budgeted, activity, left, lacks, goal, goalDue } = category;
  const available = left - activity;
  const press =
    ask && (() => ask({ tool: 'find_transactions', args: { category: id, since: month, until: month } }));
  const leftKind = left < 0 ? 'bad' : left === 0 ? 'quiet' : 'good';
  return tableRow(
    [
      rowName(category.name, `category ${id}`, press),
      // How much of what there was is spent.
      left < 0
        ? amountBar(1, { kind: 'below' })
        : available > 0 && amountBar(-activity / available, { kind: 'spending' }),
      lacks !== undefined &&
        el(
          'small',
          { class: 'warn' },
          phrase(
            'lacks ',
            amountText(money(lacks)),
            goal !== undefined && ' of its goal ',
            goal !== undefined && amountText(money(goal)),
            goalDue && ` ${goalDue}`,
          ),
        ),
      isSnoozed && el('small', {}, 'goal snoozed'),
      isHidden && el('small', {}, 'hidden'),
    ],
    amountCell(money(budgeted), 'extra quiet'),
    amountCell(money(-activity), activity === 0 ? 'quiet' : ''),
    amountCell(money(left), `left ${leftKind}`, left < 0 && note(isCard ? 'below zero' : 'overspent', 'bad')),
  );
}
