/**
 * What there is to tell of a write before it is carried out: to the model that asked for a dry run, and to the person
 * whose consent it needs.
 */
import type { SimulatedWrite } from '../client/budget-call.ts';
import type { Operation } from '../operations/operation.ts';
import type { BudgetSummary } from '../schema/budget.ts';
import type { BalanceChange } from '../writes/balance-changes.ts';
import type { Row } from './paging.ts';
import { formatPendingChange, withoutIds } from './pending-change.ts';
import { formatRows } from './rows.ts';
import { joinWords, listProblems, quote, TextContext } from './text.ts';
import { type Money, moneyFormatter, valuesToUnits } from './units.ts';
import { balanceOf, type FormattedWrite, limitLines } from './write-result.ts';

/** What a dry run found out. The text leaves out what would be sent: whoever reads it has just said it. */
export function formatDryRun(
  operation: Operation,
  input: Row,
  found: SimulatedWrite,
  { money }: TextContext,
): FormattedWrite {
  const { current, effects, unpredictable: notForeseen, problems } = found;
  const then = (kind: BalanceChange['kind']) =>
    effects
      .filter((each) => each.kind === kind)
      .map(({ id, name, balanceAfter }) => balanceOf({ id, name, balance: balanceAfter }));
  const isThere = Object.keys(current).length > 0;
  return {
    fields: {
      outcome: 'dry_run',
      balances: { accounts: then('account'), categories: then('category') },
      ...(notForeseen.length > 0 && { not_foreseen: notForeseen }),
      would_send: { route: operation.route, input: valuesToUnits(operation.input, input) },
      ...(problems.length > 0 && { problems }),
    },
    headline: `Dry run: nothing was written.${isThere ? ' As it stands now:' : ''}`,
    lines: [
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
 * The question to a person, in as few words as will do: what would be done, to what, and where it would leave the
 * balances. `input` is in milliunits.
 */
export function formatConfirmation(
  operation: Operation,
  input: Row,
  { current, effects, unpredictable: notForeseen, freshness, names }: SimulatedWrite,
  budget: BudgetSummary | undefined,
): string {
  const money = moneyFormatter(budget?.currency_format ?? null);
  const context = new TextContext(money, names);
  // Of several things, each is told beside what would change of it.
  const single = Object.entries(current).filter(([, thing]) => !Array.isArray(thing));
  const now = single.flatMap(([kind, thing]) =>
    formatRows(operation.output.shape[kind], withoutIds(thing), context),
  );
  const shown = new Set(['budget_id', ...single.map(([kind]) => `${kind}_id`)]);
  const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !shown.has(name)));
  const sent =
    operation.kind === 'delete' ? [] : formatPendingChange(operation, rest, { current, names, money });
  return [
    `${joinWords(operation.title, budget && `in ${quote(budget.name)}`)}?`,
    ...now,
    ...limitLines(now.length > 0 ? sent.map((text) => `Change: ${text}`) : sent, 'rows'),
    ...formatBalanceChanges(effects, money),
    ...notForeseenLines(notForeseen),
    ...(freshness.stale_reason === undefined ? [] : [`As of ${freshness.as_of}. ${freshness.stale_reason}`]),
  ].join('\n');
}
