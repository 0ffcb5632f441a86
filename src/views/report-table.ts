/** The rows of a report: their amounts with bars, what was budgeted, and a press that asks about one of them. */
import type { ReportContent } from '../features/report/report-schema.ts';
import { amountBar, type Kind, legend } from './amount-bar.ts';
import { barScale } from './bar-scale.ts';
import { el, note } from './element.ts';
import type { Drawing } from './page.ts';
import { amountCell, firstRows, rowName, tableRow } from './table.ts';

type Row = ReportContent['rows'][number];

/** The name of what the rows are, such as `flag color`. */
export const groupingIn = ({ by }: ReportContent) => by.replaceAll('_', ' ');

const capitalized = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);

export function reportTable(content: ReportContent, drawing: Drawing): HTMLElement {
  const { of, by, rows, more, total } = content;
  const { money, dates, count } = drawing;
  const hasBudgeted = rows.some(({ budgeted }) => budgeted !== undefined);
  // A debt has a bar like an asset. A refund has none.
  const size = (amount: number) => (of === 'net_worth' ? Math.abs(amount) : amount);
  const extent = (row: Row) => Math.max(size(row.total), row.budgeted ?? 0);
  const { partOf, isBeyond } = barScale(rows.map(extent));
  const overOf = ({ total, budgeted = 0 }: Row) => (budgeted > 0 ? total - budgeted : 0);
  const kindOf = (row: Row): Kind => {
    if (of === 'net_worth') return row.total < 0 ? 'owed' : 'owned';
    return overOf(row) > 0 ? 'over' : of === 'income' ? 'income' : 'spending';
  };
  const head = { spending: 'Spent', income: 'Earned', both: '', net_worth: 'Balance' }[of];
  const share = (amount: number) => (total > 0 && amount > 0 ? dates.percent(amount / total) : '');
  const row = (each: Row, index: number) => {
    const { id, budgeted, total } = each;
    const over = overOf(each);
    return tableRow(
      [
        rowName(each.name, `${by} ${id ?? index}`, questionAbout(content, id, drawing)),
        amountBar(partOf(size(total)), {
          mark: budgeted ? partOf(budgeted) : undefined,
          kind: kindOf(each),
          isBroken: isBeyond(extent(each)),
        }),
      ],
      of !== 'net_worth' && el('td', { class: 'amount share' }, share(total)),
      amountCell(money(total), over > 0 ? 'bad' : '', over > 0 && note(`${money(over)} over`, 'bad')),
      hasBudgeted && amountCell(budgeted === undefined ? '' : money(budgeted), 'quiet'),
    );
  };
  const colours = ['income', 'spending', 'owned', 'owed', 'over'] as const;
  const keys = [
    ...colours.filter((kind) => rows.some((each) => kindOf(each) === kind)),
    ...(rows.some(({ budgeted }) => budgeted) ? (['budgeted'] as const) : []),
    ...(rows.some((each) => isBeyond(extent(each))) ? (['broken'] as const) : []),
  ];
  const table = firstRows(
    [
      [capitalized(groupingIn(content))],
      of !== 'net_worth' && [`Share of ${of}`, 'amount share'],
      [head, 'amount'],
      hasBudgeted && ['Budgeted', 'amount'],
    ],
    rows.map(row),
    more &&
      tableRow(
        `${count(more.rows)} more`,
        of !== 'net_worth' && el('td', { class: 'amount share' }, share(more.total)),
        amountCell(money(more.total)),
        hasBudgeted && el('td'),
      ),
    count,
  );
  return el('section', {}, legend(keys), table);
}

/** The question that a press on a row asks: the payees of a category, the categories of a group, or the transactions. */
function questionAbout(
  { of, by, since, until }: ReportContent,
  id: string | null,
  { ask, question }: Drawing,
): (() => void) | undefined {
  if (!ask || of === 'net_worth') return undefined;
  const { category, payee, account, text, flag_color } = question.args;
  // A search for transactions takes one of each.
  if ([category, payee, account].some((names) => Array.isArray(names) && names.length > 1)) return undefined;
  const others = {
    since,
    until,
    ...(payee !== undefined && { payee: String(payee) }),
    ...(account !== undefined && { account: String(account) }),
    ...(text !== undefined && { text }),
    ...(flag_color !== undefined && { flag_color }),
  };
  const limits = { ...others, ...(category !== undefined && { category: String(category) }) };
  if (of === 'spending' && id === null && by === 'category')
    return () => ask({ tool: 'find_transactions', args: { ...others, type: 'uncategorized' } });
  if (id === null) return undefined;
  if (of === 'spending' && by === 'group')
    return () => ask({ tool: 'report', args: { ...limits, of, by: 'category', category: id } });
  if (of === 'spending' && by === 'category')
    return () => ask({ tool: 'report', args: { ...limits, of, by: 'payee', category: id } });
  if (by === 'payee' || by === 'account' || by === 'flag_color')
    return () => ask({ tool: 'find_transactions', args: { ...limits, [by]: id } });
  return undefined;
}
