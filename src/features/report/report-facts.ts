/** What people ask next about a report: transfers and balance of its accounts, sums of its groups, goals, and where a text occurs. */
import { goalText } from '../../answers/goal-text.ts';
import { firstOf, quote, type TextContext, type TextPart } from '../../answers/text.ts';
import { firstOfMonth } from '../../base/calendar.ts';
import { includesFolded } from '../../base/fold.ts';
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';
import { categoriesOf } from '../../model/sums/categories-of-month.ts';
import { linesOf } from '../../model/sums/lines.ts';
import { monthIn } from '../../model/sums/month-to-come.ts';
import { namesWithWords, wordsOf } from '../../model/sums/text-search.ts';
import type { FlowQuery } from './cash-flow.ts';
import { netWorth } from './net-worth.ts';
import type { Range } from './periods.ts';
import { type Facts, goal, type Report } from './report-schema.ts';

type Figures = Pick<Report, 'periods' | 'rows'>;

/** `figures` are those of the query in the range. `today` is the user's day. */
export function factsOf(
  replica: BudgetReplica,
  figures: Figures,
  { of, by, account, category: wanted = [], text }: Omit<FlowQuery, 'flow'> & { readonly of: string },
  range: Range,
  today: string,
): Facts {
  const groups = wanted.filter((id) => replica.groups.has(id));
  const isNow = range.until >= firstOfMonth(today) && figures.periods.length === 1;
  const inMonth = categoriesOf(monthIn(replica, firstOfMonth(today)));
  const categories = wanted
    .filter((id) => !groups.includes(id))
    .map((id) => inMonth(replica.categories.get(id)));
  const goals = categories.filter(({ goal_type }) => isNow && goal_type !== null);
  return {
    ...(account && of !== 'net_worth' && accountFacts(replica, range, account)),
    ...(by === 'category' &&
      groups.length > 1 && { groups: groups.map((id) => groupTotal(replica, figures, id)) }),
    ...(goals.length > 0 && { goals: goals.map((each) => goal.parse(each)) }),
    ...(text !== undefined && {
      names_with_words: namesWithWords(text, replica).map(({ name }) => name),
      ...(by === 'payee' && { payees_without_words: withoutWords(figures, text) }),
    }),
  };
}

function accountFacts(replica: BudgetReplica, range: Range, ids: readonly string[]): Facts {
  const { owned = 0, owed = 0 } = netWorth(replica, [range], ids).periods[0] ?? {};
  const accounts = new Set(ids);
  let [transferred_in, transferred_out] = [0, 0];
  for (const row of replica.transactions.list({ since_date: range.since, until_date: range.until })) {
    if (!accounts.has(row.account_id)) continue;
    for (const { amount, transfer_account_id } of linesOf(row)) {
      if (transfer_account_id === null || accounts.has(transfer_account_id)) continue;
      if (amount > 0) transferred_in += amount;
      else transferred_out -= amount;
    }
  }
  return { balance: owned - owed, transferred_in, transferred_out };
}

function groupTotal({ groups, categories }: BudgetReplica, { rows }: Figures, group: string) {
  const ofGroup = rows.filter(
    ({ id }) => id !== null && categories.has(id) && categories.get(id).category_group_id === group,
  );
  return {
    id: group,
    name: groups.get(group).name,
    total: ofGroup.reduce((sum, { total }) => sum + total, 0),
  };
}

function withoutWords({ rows }: Figures, text: string): number {
  const words = wordsOf(text);
  return rows.filter(({ name }) => !words.every((word) => includesFolded(name, word))).length;
}

export function factLines(report: Facts, context: TextContext): TextPart[] {
  const { groups = [], goals = [], names_with_words: names = [], payees_without_words: without } = report;
  const words = firstOf(names.map(quote), 3).join(', ');
  const sums = groups.map(
    ({ id, name, total }) => `${context.withId('category_group', id, name)} ${context.money(total)}`,
  );
  return [
    sums.length > 0 && `By group: ${sums.join(', ')}.`,
    ...goals
      .slice(0, MAX_GOALS)
      .map(
        (each) => `Goal of ${context.withId('category', each.id, each.name)}: ${goalText(each, context)}.`,
      ),
    words !== '' && `All transactions of these names count, because the text occurs in them: ${words}.`,
    without !== undefined &&
      (without === 0
        ? 'The text occurs in the names of all these payees.'
        : `For ${without} of these payees it occurs elsewhere, such as in a memo, category, flag or text of the bank, not in the name.`),
  ];
}

const MAX_GOALS = 5;
