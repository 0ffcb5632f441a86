/** Formats the simulation of a write: as the result of a dry run, and as the question to the user who confirms it. */

import type { JsonObject } from '../base/json.ts';
import type { BudgetSummary } from '../base/schema/budget.ts';
import type { BalanceChange } from '../model/bookkeeping/balance-changes.ts';
import type { Operation } from '../operations/operation.ts';
import type { Simulation } from '../operations/simulation.ts';
import type { Freshness, SimulatedWrite } from '../session/call-result.ts';
import { changesNothing, keptSplitsIn, splitLines } from './ignored.ts';
import { formatPendingChange } from './pending-change.ts';
import { reconciledData, reconciledLines } from './reconciled.ts';
import { joinWords, listProblems, present, quote, Room, TextContext, type TextPart } from './text.ts';
import { type Money, moneyFormatter, valuesToUnits } from './units.ts';
import { type FormattedWrite, formatData, ignoredLine, limitLines, listed } from './write-result.ts';

/** The result of a dry run. The text leaves out the input of a creation, because its reader has just sent it. */
export function formatDryRun(
  operation: Operation,
  input: JsonObject,
  simulated: SimulatedWrite,
  context: TextContext,
): FormattedWrite {
  const { current, balanceChanges, unpredictable, problems, ignored = [], reconciled = [] } = simulated;
  const isNothing = changesNothing(operation, input, ignored);
  const balancesAfter = (kind: BalanceChange['kind']) =>
    balanceChanges
      .filter((each) => each.kind === kind)
      .map(({ id, name, balanceAfter }) => ({ id, name, balance: balanceAfter }));
  const hasCurrent = Object.keys(current).length > 0;
  return {
    fields: {
      outcome: 'dry_run',
      balances: { accounts: balancesAfter('account'), categories: balancesAfter('category') },
      ...(unpredictable.length > 0 && { unpredictable_balances: unpredictable }),
      would_send: { route: operation.route, input: valuesToUnits(operation.input, input) },
      ...(problems.length > 0 && { problems }),
      ...(ignored.length > 0 && { ignored }),
      ...reconciledData(reconciled),
    },
    headline: `Dry run: this call wrote nothing.${hasCurrent ? ' Current state:' : ''}`,
    lines: present([
      problems.length > 0
        ? `It would be refused: ${listProblems(problems)}.`
        : isNothing
          ? `It would change nothing: the service would ignore ${listed(ignored)}.`
          : 'Accounts, categories, payees and dates were checked, and no problem was found.',
      ...(operation.kind === 'update' && !isNothing
        ? changeLines(operation, input, simulated, context.money)
        : []),
      !isNothing && ignoredLine('The service would ignore', ignored),
      ...previewNotices(operation, input, simulated, context),
      ...formatBalanceChanges(balanceChanges, context),
      unpredictableLine(unpredictable),
    ]),
  };
}

/** The values that a write sends, by names. If it has several targets, each is in the line of its change. */
function changeLines(
  operation: Operation,
  input: JsonObject,
  { current, names }: Pick<Simulation, 'current' | 'names'>,
  money: Money,
): readonly string[] {
  const single = Object.entries(current).filter(([, entity]) => !Array.isArray(entity));
  const shown = new Set(['budget_id', ...single.map(([kind]) => `${kind}_id`)]);
  const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !shown.has(name)));
  const sent = formatPendingChange(operation, rest, { current, names, money });
  return limitLines(single.length > 0 ? sent.map((text) => `Change: ${text}`) : sent, 'rows');
}

/** The sentences that the view of a preview has as well as its text and the question to the user. */
export const previewNotices = (
  operation: Operation,
  input: JsonObject,
  simulation: Simulation,
  context: Pick<TextContext, 'reference' | 'money'>,
): string[] => [
  ...(simulation.remarks ?? []),
  ...splitLines(keptSplitsIn(operation, input, simulation)),
  ...reconciledLines(simulation.reconciled ?? [], 'would move', context),
];

const formatBalanceChanges = (balanceChanges: readonly BalanceChange[], context: TextContext) =>
  limitLines(
    balanceChanges.map(
      ({ kind, id, name, balanceBefore, balanceAfter }) =>
        `${kind === 'account' ? 'Account' : 'Category'} ${context.withId(kind, id, name)}: now ${context.money(balanceBefore)}, afterwards ${context.money(balanceAfter)}.`,
    ),
    'balances',
  );

const unpredictableLine = (names: readonly string[]) =>
  names.length > 0 && `Cannot be predicted: the balance of ${listed(names.map(quote))}.`;

/**
 * The question to the user who confirms a write: the operation, its target, the change, and the balances after it.
 * `input` is in milliunits.
 */
export function formatConfirmation(
  operation: Operation,
  input: JsonObject,
  simulated: SimulatedWrite,
  budget: BudgetSummary | undefined,
): string {
  const { current, balanceChanges, unpredictable, freshness, names, ignored = [] } = simulated;
  const money = moneyFormatter(budget?.currency_format ?? null);
  const context = new TextContext(money, { names, room: Room.forAnswer() });
  // If the write has several targets, each is shown in the line of its change.
  const single = Object.entries(current).filter(([, entity]) => !Array.isArray(entity));
  return questionText(operation, budget, freshness, [
    ...formatData(operation, Object.fromEntries(single), context),
    ...(operation.kind === 'delete' ? [] : changeLines(operation, input, simulated, money)),
    ignoredLine('The service will ignore', ignored),
    ...previewNotices(operation, input, simulated, context),
    ...formatBalanceChanges(balanceChanges, context),
    unpredictableLine(unpredictable),
  ]);
}

/** The question about a write: what it is and in which budget, the lines about it, and how old they are if they are. */
export const questionText = (
  { title }: Pick<Operation, 'title'>,
  budget: BudgetSummary | undefined,
  { stale_reason, as_of }: Freshness,
  lines: readonly TextPart[],
): string =>
  present([
    `${joinWords(title, budget && `in ${quote(budget.name)}`)}?`,
    ...lines,
    stale_reason !== undefined && `As of ${as_of}. ${stale_reason}`,
  ]).join('\n');
