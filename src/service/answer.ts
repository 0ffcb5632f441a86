/**
 * Brings the data of an answer into the form of the interface's version and of its path. The ledger has the fields of
 * the newest one. At 1.77 the newer fields are removed. Later every amount outside the export is added as a text and as a
 * number. `answer-forms` lists the fields.
 */
import { type EntityForm, forms } from './answer-forms.ts';
import type { InterfaceVersion } from './interface-version.ts';
import type { Ledger } from './ledger.ts';
import { formatAmount } from './money-format.ts';
import { isForPlans, withPlanNames } from './plans.ts';
import type { CurrencyFormat } from './resources.ts';

/** The part of a request's context that decides about the form. */
interface Asked {
  readonly var: { readonly version: InterfaceVersion; readonly ledger?: Ledger };
  readonly req: { readonly raw: Request };
}

/** The body of a successful response (docs/interface.md, Response wrapper). */
export function answer({ var: { version, ledger }, req }: Asked, data: object): { data: object } {
  const change =
    version === '1.77' ? withoutNewerFields : withAmounts(ledger?.settings().currency_format ?? null);
  const reshaped = Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, reshape(value, forms[key], change)]),
  );
  return { data: isForPlans(req.raw) ? withPlanNames(reshaped) : reshaped };
}

type Fields = Record<string, unknown>;

interface Change {
  /** A copy of the entity with changed fields. */
  readonly apply: (entity: Fields, form: EntityForm) => Fields;
  /** The change for the parts of an entity with a currency of its own. */
  readonly inCurrency: (format: CurrencyFormat) => Change;
}

function reshape(value: unknown, form: EntityForm | undefined, change: Change): unknown {
  if (form === undefined) return value;
  if (Array.isArray(value)) return value.map((item) => reshape(item, form, change));
  if (!isEntity(value)) return value;
  const fields = change.apply(value, form);
  const format = value['currency_format'];
  const partChange = isCurrencyFormat(format) ? change.inCurrency(format) : change;
  for (const [key, part] of Object.entries(form.parts)) {
    if (value[key] !== undefined) fields[key] = reshape(value[key], part, partChange);
  }
  return fields;
}

const withoutNewerFields: Change = {
  apply(entity, { newerFields }) {
    const fields = { ...entity };
    for (const field of newerFields) delete fields[field];
    return fields;
  },
  inCurrency: () => withoutNewerFields,
};

/** Without a format, as in the list of budgets, there are no amounts but in the parts. */
function withAmounts(format: CurrencyFormat | null): Change {
  return {
    apply(entity, { amounts }) {
      const fields = copyOf(entity);
      for (const { field, formatted, currency } of amounts) {
        const amount = entity[field];
        const isAmount = typeof amount === 'number' && format !== null;
        fields[formatted] = isAmount ? formatAmount(amount, format) : null;
        fields[currency] = isAmount ? amount / 1_000 : null;
      }
      return fields;
    },
    inCurrency: withAmounts,
  };
}

/**
 * Copies field by field. Adding fields to an object that was spread takes five times longer, which counts in lists of a
 * hundred thousand transactions.
 */
function copyOf(entity: Fields): Fields {
  const fields: Fields = {};
  for (const field of Object.keys(entity)) fields[field] = entity[field];
  return fields;
}

function isEntity(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

function isCurrencyFormat(value: unknown): value is CurrencyFormat {
  return isEntity(value) && 'currency_symbol' in value;
}
