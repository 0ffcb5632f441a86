/**
 * An answer as a model gets it: structured content that mirrors the response's `data` in currency units, and text that
 * says the same in few tokens. It knows shapes and words; it asks nothing and decides nothing about budgets.
 */
import type { Answer } from '../client/budget-client.ts';
import type { BudgetSummary } from '../operations/budgets.ts';
import { lines } from './lines.ts';
import type { Row } from './paging.ts';
import { Prose, quote } from './prose.ts';
import { select } from './selection.ts';
import type { Surface, View } from './surface.ts';
import { moneyIn, toUnits } from './units.ts';

export interface Presented {
  /** Valid by the surface's `output`. */
  readonly structured: Record<string, unknown>;
  readonly text: string;
}

/** `notice` is what every answer has to say, such as that the data is invented. Throws `invalid_cursor`. */
export function present(
  { operation }: Surface,
  answer: Answer<Row>,
  { input, view, notice }: { input: Row; view: View; notice?: string | undefined },
): Presented {
  const { budget, freshness } = answer;
  const { data, page, summary, sections } = select(operation, answer, input, view);
  const units = toUnits(operation.output, data);
  const prose = new Prose(moneyIn(budget?.currency_format ?? null));
  const subject = budget && `Budget ${quote(budget.name)} (${currencyOf(budget) ?? 'no currency'})`;
  const body = sections.flatMap(([kind, value]) => describe(kind, value, prose));
  return {
    structured: {
      ...units,
      ...(budget && { budget: headOf(budget, units[operation.collections ?? '']) }),
      ...(page && { page }),
      freshness,
      ...(notice !== undefined && { notice }),
    },
    text: [
      [subject, summary].filter(Boolean).join(': '),
      ...body,
      ...prose.legend,
      `As of ${freshness.as_of}, from the ${freshness.source}.${notice === undefined ? '' : ` ${notice}`}`,
    ]
      .filter(Boolean)
      .join('\n'),
  };
}

/** What an answer is about; an export is itself a budget and goes on with what else it holds. */
const headOf = (budget: BudgetSummary, exported: unknown) => ({
  ...(typeof exported === 'object' && exported),
  id: budget.id,
  name: budget.name,
  currency: currencyOf(budget),
});

const currencyOf = ({ currency_format }: BudgetSummary) => currency_format?.iso_code ?? null;

function describe(kind: string, value: unknown, prose: Prose): string[] {
  const line = lines[kind];
  if (!line) return [];
  return Array.isArray(value) ? value.map((each) => line(each, prose)) : [line(value, prose)];
}
