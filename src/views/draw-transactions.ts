/** Draws found transactions: a table to sort and to filter, which loads more rows as a person scrolls. */
import type { TransactionsContent } from '../answers/view-data/transactions-content.ts';
import { amountText, el, figure, figures, name, phrase, remark, separated } from './element.ts';
import type { Drawing, Drawn } from './page.ts';
import { TransactionTable } from './transaction-table.ts';

export function drawTransactions(content: TransactionsContent, drawing: Drawing): Drawn {
  const { title, total, sum, since, until, conditions, isContinued } = content;
  const { money, dates, count } = drawing;
  const range =
    since !== undefined && until !== undefined
      ? [dates.range(since, until)]
      : [
          since !== undefined && `Since ${dates.day(since)}`,
          until !== undefined && `Until ${dates.day(until)}`,
        ];
  const parts = [
    ...range.filter((part) => part !== false).map((part) => name(part)),
    ...conditions.map(({ label, value, amount }) =>
      phrase(`${label}: `, amount === undefined ? name(value ?? '') : amountText(money(amount))),
    ),
  ];
  return {
    title: title === undefined ? 'Transactions' : name(title),
    subtitle: separated(parts),
    body: [
      figures(
        figure('Sum', money(sum), 'main'),
        el('div', {}, el('dt', {}, 'Found'), el('dd', {}, count(total))),
      ),
      isContinued && remark('This list begins after an earlier page.'),
      total === 0
        ? remark('No transaction matches.')
        : new TransactionTable(content, title === undefined ? drawing : { ...drawing, ask: undefined })
            .element,
    ],
  };
}
