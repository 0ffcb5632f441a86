/**
 * What there is to tell of a write before it is carried out: to the model that asked for a dry run, and to the person
 * whose consent it needs.
 */
import type { Effect } from '../client/effects.ts';
import type { Preview } from '../client/preview.ts';
import type { BudgetSummary } from '../operations/budgets.ts';
import type { Operation } from '../operations/operation.ts';
import { listProblems } from './arguments.ts';
import { lines } from './lines.ts';
import type { Row } from './paging.ts';
import { Prose, phrase, quote } from './prose.ts';
import { sentLines, withoutIds } from './sent-lines.ts';
import { type Money, moneyIn, toUnits } from './units.ts';
import { balanceInUnits, cutLines, type Told } from './writes.ts';

/** What a dry run found out. The text leaves out what would be sent: whoever reads it has just said it. */
export function tellPreview(operation: Operation, input: Row, found: Preview, { money }: Prose): Told {
  const { current, effects, notForeseen, problems } = found;
  const then = (kind: Effect['kind']) =>
    effects
      .filter((each) => each.kind === kind)
      .map(({ id, name, balance_then }) => balanceInUnits({ id, name, balance: balance_then }));
  const isThere = Object.keys(current).length > 0;
  return {
    fields: {
      outcome: 'dry_run',
      balances: { accounts: then('account'), categories: then('category') },
      ...(notForeseen.length > 0 && { not_foreseen: notForeseen }),
      would_send: { route: operation.route, input: toUnits(operation.input, input) },
      ...(problems.length > 0 && { problems }),
    },
    said: [
      `Dry run: nothing was written.${isThere ? ' As it stands now:' : ''}`,
      problems.length > 0
        ? `It would be refused: ${listProblems(problems)}.`
        : 'Accounts, categories, payees and dates were checked: nothing against it was found.',
      ...effectLines(effects, money),
      ...notForeseenLines(notForeseen),
    ],
  };
}

const effectLines = (effects: readonly Effect[], money: Money) =>
  cutLines(
    effects.map(
      ({ kind, name, balance_now, balance_then }) =>
        `${kind === 'account' ? 'Account' : 'Category'} ${quote(name)}: ${money(balance_now)} now, ${money(balance_then)} then.`,
    ),
    'balances',
  );

const notForeseenLines = (names: readonly string[]) =>
  names.length > 0 ? [`Cannot be said beforehand: the balance of ${names.map(quote).join(', ')}.`] : [];

/**
 * The question to a person, in as few words as will do: what would be done, to what, and where it would leave the
 * balances. `input` is in milliunits.
 */
export function consentQuestion(
  operation: Operation,
  input: Row,
  { current, effects, notForeseen, freshness, names }: Preview,
  budget: BudgetSummary | undefined,
): string {
  const money = moneyIn(budget?.currency_format ?? null);
  const prose = new Prose(money, names);
  // Of several things, each is told beside what would change of it.
  const single = Object.entries(current).filter(([, thing]) => !Array.isArray(thing));
  const now = single.flatMap(([kind, thing]) => lines[kind]?.(withoutIds(thing), prose) ?? []);
  const shown = new Set(['budget_id', ...single.map(([kind]) => `${kind}_id`)]);
  const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !shown.has(name)));
  const sent =
    operation.effect === 'delete' ? [] : sentLines(operation.input, rest, { current, names, money });
  return [
    `${phrase(operation.title, budget && `in ${quote(budget.name)}`)}?`,
    ...now,
    ...cutLines(now.length > 0 ? sent.map((text) => `Change: ${text}`) : sent, 'rows'),
    ...effectLines(effects, money),
    ...notForeseenLines(notForeseen),
    ...(freshness.overdue === undefined ? [] : [`As of ${freshness.as_of}. ${freshness.overdue}`]),
  ].join('\n');
}
