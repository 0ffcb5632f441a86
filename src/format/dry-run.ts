/**
 * Formats a write before it is carried out: the result of a dry run for the model, and the confirmation question for
 * the user.
 */
import type { BalanceChange } from '../client/balance-changes.ts';
import type { Simulation } from '../client/simulation.ts';
import type { BudgetSummary } from '../operations/budgets.ts';
import type { Operation } from '../operations/operation.ts';
import type { Row } from './paging.ts';
import { formatPendingChange, withoutIds } from './pending-change.ts';
import { rowFormats } from './rows.ts';
import { joinWords, listProblems, quote, TextContext } from './text.ts';
import { type Money, moneyFormatter, valuesToUnits } from './units.ts';
import { balanceInUnits, type FormattedWrite, limitLines } from './write-result.ts';

/** The result of a dry run. The text omits the input, because the model has just sent it. */
export function formatDryRun(
  operation: Operation,
  input: Row,
  simulation: Simulation,
  { money }: TextContext,
): FormattedWrite {
  const { current, effects, notForeseen, problems } = simulation;
  const balancesAfter = (kind: BalanceChange['kind']) =>
    effects
      .filter((effect) => effect.kind === kind)
      .map(({ id, name, balanceAfter }) => balanceInUnits({ id, name, balance: balanceAfter }));
  const hasCurrent = Object.keys(current).length > 0;
  return {
    fields: {
      outcome: 'dry_run',
      balances: { accounts: balancesAfter('account'), categories: balancesAfter('category') },
      ...(notForeseen.length > 0 && { not_foreseen: notForeseen }),
      would_send: { route: operation.route, input: valuesToUnits(operation.input, input) },
      ...(problems.length > 0 && { problems }),
    },
    lines: [
      `Dry run: nothing was written.${hasCurrent ? ' As it stands now:' : ''}`,
      problems.length > 0
        ? `It would be refused: ${listProblems(problems)}.`
        : 'Accounts, categories, payees and dates were checked: nothing against it was found.',
      ...formatBalanceChanges(effects, money),
      ...notForeseenLines(notForeseen),
    ],
  };
}

const formatBalanceChanges = (effects: readonly BalanceChange[], money: Money) =>
  limitLines(
    effects.map(
      ({ kind, name, balanceBefore, balanceAfter }) =>
        `${kind === 'account' ? 'Account' : 'Category'} ${quote(name)}: ${money(balanceBefore)} now, ${money(balanceAfter)} then.`,
    ),
    'balances',
  );

const notForeseenLines = (names: readonly string[]) =>
  names.length > 0 ? [`Cannot be predicted: the balance of ${names.map(quote).join(', ')}.`] : [];

/**
 * A short question to the user: the write, the entity it changes, and the resulting balances. `input` is in
 * milliunits.
 */
export function formatConfirmation(
  operation: Operation,
  input: Row,
  { current, effects, notForeseen, freshness, names }: Simulation,
  budget: BudgetSummary | undefined,
): string {
  const money = moneyFormatter(budget?.currency_format ?? null);
  const context = new TextContext(money, names);
  // Lists are excluded: each of their rows is shown together with its change.
  const singleEntities = Object.entries(current).filter(([, entity]) => !Array.isArray(entity));
  const currentLines = singleEntities.flatMap(
    ([kind, entity]) => rowFormats[kind]?.(withoutIds(entity), context) ?? [],
  );
  const shownFields = new Set(['budget_id', ...singleEntities.map(([kind]) => `${kind}_id`)]);
  const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !shownFields.has(name)));
  const sent =
    operation.kind === 'delete' ? [] : formatPendingChange(operation.input, rest, { current, names, money });
  return [
    `${joinWords(operation.title, budget && `in ${quote(budget.name)}`)}?`,
    ...currentLines,
    ...limitLines(currentLines.length > 0 ? sent.map((text) => `Change: ${text}`) : sent, 'rows'),
    ...formatBalanceChanges(effects, money),
    ...notForeseenLines(notForeseen),
    ...(freshness.stale_reason === undefined ? [] : [`As of ${freshness.as_of}. ${freshness.stale_reason}`]),
  ].join('\n');
}
