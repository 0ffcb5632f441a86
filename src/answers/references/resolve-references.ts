/**
 * Resolves the references in the arguments of a call, so that everything after it works with full ids. That is done once: a
 * name that is not found costs at most one update of the cached budget, and is never sent to the service.
 */
import type { z } from 'zod';
import { firstOfMonth } from '../../base/calendar.ts';
import { BudgetError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { quote } from '../../base/quote.ts';
import { text } from '../../base/schema/fields.ts';
import type { ReferenceKind } from '../../base/schema/meaning.ts';
import { mapData, shapeOf } from '../../base/schema/walk.ts';
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';
import { listAccounts } from '../../operations/accounts.ts';
import { listCategories } from '../../operations/categories.ts';
import { listPayees } from '../../operations/payees.ts';
import type { BudgetCall } from '../../session/budget-call.ts';
import { joinWords, listProblems } from '../text.ts';
import { needsPayees, References, transferAccountIn } from './references.ts';

/** An id as the service creates it. It needs no lookup (docs/interface.md, Data formats). */
const FULL_ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}(_\d{4}-\d\d-\d\d)?$/;

/** The most problems that are explained, since explaining one compares all names. */
const MAX_EXPLAINED = 10;

export interface ResolvedArguments {
  readonly args: JsonObject;
  /** Why the budget in which the references were looked up is older than it should be. */
  readonly staleReason?: string | undefined;
  /** The names that were taken for others, in sentences. */
  readonly takenAs?: readonly string[];
}

/**
 * The arguments with full ids. `schema` has parsed `args`, and the call knows its budget. Throws if any is not found. A question may
 * name things less exactly than a write does.
 */
export async function resolveReferences(
  call: BudgetCall,
  schema: z.ZodObject,
  args: JsonObject,
  isQuestion: boolean,
): Promise<ResolvedArguments> {
  const kinds = kindsToLookUp(schema, args);
  if (kinds.size === 0) return { args };
  let cached = await call.replica();
  let references = cached ? References.of(cached.replica) : await referencesFromLists(call, kinds);
  const resolve = (mayBeMistyped: boolean) => {
    if (!isQuestion) return { ...resolveWith(references, schema, args), takenAs: [] };
    const meant = meantByQuestion(references, schema, args, mayBeMistyped);
    return { ...resolveWith(references, schema, meant.args), takenAs: meant.takenAs };
  };
  let attempt = resolve(false);
  if (attempt.unresolved.some(({ found }) => found.length === 0)) {
    const updated = cached && (await call.searchAgain());
    if (updated) {
      cached = updated;
      references = References.of(updated.replica);
    }
    if (updated || isQuestion) attempt = resolve(true);
  }
  const { resolved, unresolved, takenAs } = attempt;
  const staleReason = cached?.freshness.stale_reason;
  if (unresolved.length === 0) return { args: resolved, staleReason, takenAs };
  const problems = unresolved.map(({ path, kind, text }, at) =>
    at < MAX_EXPLAINED ? `${path}: ${references.explain(kind, text)}` : path,
  );
  throw new BudgetError(
    unresolved.every(({ found }) => found.length === 0) ? 'resource_not_found' : 'invalid_input',
    joinWords(`${listProblems(problems)}.`, staleReason, 'This call sent nothing.'),
  );
}

function kindsToLookUp(schema: z.ZodObject, args: JsonObject): ReadonlySet<ReferenceKind> {
  const kinds = new Set<ReferenceKind>();
  replaceReferences(schema, args, {
    reference(kind, text) {
      if (!FULL_ID.test(text)) kinds.add(kind);
      return text;
    },
    payee(name) {
      if (needsPayees(name)) kinds.add('payee');
      if (transferAccountIn(name) !== undefined) kinds.add('account');
      return undefined;
    },
  });
  return kinds;
}

/** For a budget that is not cached: the names in its lists, one request for each. */
async function referencesFromLists(call: BudgetCall, kinds: ReadonlySet<ReferenceKind>): Promise<References> {
  const ofCategories = ['category', 'category_or_group', 'category_group'] as const;
  const needsCategories = ofCategories.some((kind) => kinds.has(kind));
  const [accounts, categories, payees] = await Promise.all([
    kinds.has('account') ? call.read(listAccounts, {}) : undefined,
    needsCategories ? call.read(listCategories, {}) : undefined,
    kinds.has('payee') ? call.read(listPayees, {}) : undefined,
  ]);
  const accountRows = accounts?.data.accounts ?? [];
  const groups = categories?.data.category_groups ?? [];
  const categoryRows = groups.flatMap((group) => group.categories);
  const payeeRows = payees?.data.payees ?? [];
  const tables = {
    accounts: () => accountRows,
    groups: () => groups,
    categories: () => categoryRows,
    payees: () => payeeRows,
    payeeLocations: () => NONE,
    transactions: () => NONE,
    scheduledTransactions: () => NONE,
  };
  return new References(tables, new Set(['payee_location', 'transaction', 'scheduled_transaction']));
}

/** Always the same, as tables have to be until they change. */
const NONE: readonly never[] = [];

/**
 * The arguments of a question with the ids of what their names mean, though they are not exact: lists get all things whose names
 * differ by case or emoji only, and a mistyped name is the one that it clearly means. Rows are left as they are, since a write may
 * use them later.
 */
function meantByQuestion(
  references: References,
  schema: z.ZodObject,
  args: JsonObject,
  mayBeMistyped: boolean,
): { readonly args: JsonObject; readonly takenAs: readonly string[] } {
  const takenAs: string[] = [];
  const meant = (kind: ReferenceKind, text: string, isList: boolean): readonly string[] => {
    const exact = references.find(kind, text);
    const alike = isList ? references.findAlike(kind, text) : exact;
    const found = alike.length === 0 && mayBeMistyped ? references.findMistyped(kind, text) : alike;
    if (found.length === 0 || (!isList && found.length > 1)) return [text];
    const others = isList && kind === 'payee' ? references.findLonger(kind, text) : [];
    if (exact.length === 0 || found.length > 1)
      takenAs.push(`${quote(text)} was taken as ${references.describe(kind, found)}.`);
    const uncounted = others.filter((id) => !found.includes(id));
    if (uncounted.length > 0)
      takenAs.push(`Not counted, with ${quote(text)} in the name: ${references.describe(kind, uncounted)}.`);
    return found;
  };
  const entries = Object.entries(args).map(([name, value]): [string, unknown] => {
    const shape = schema.shape[name] && shapeOf(schema.shape[name]);
    const single = shape?.meaning.reference;
    if (single && typeof value === 'string') return [name, meant(single, value, false)[0]];
    const kind = shape?.values && shapeOf(shape.values).meaning.reference;
    if (!kind || !Array.isArray(value)) return [name, value];
    return [name, [...new Set(value.flatMap((text) => meant(kind, String(text), true)))]];
  });
  return { args: Object.fromEntries(entries), takenAs };
}

interface Unresolved {
  readonly path: string;
  readonly kind: ReferenceKind;
  readonly text: string;
  /** Empty or several. */
  readonly found: readonly string[];
}

function resolveWith(references: References, schema: z.ZodObject, args: JsonObject) {
  const unresolved: Unresolved[] = [];
  // Looking up a payee compares the names of all.
  const payees = new Map<string, readonly string[] | undefined>();
  const resolved = replaceReferences(schema, args, {
    reference(kind, text, path) {
      if (FULL_ID.test(text)) return text;
      const found = references.find(kind, text);
      const [id, ...others] = found;
      if (id !== undefined && others.length === 0) return id;
      unresolved.push({ path, kind, text, found });
      return text;
    },
    payee(name, path) {
      if (!payees.has(name)) payees.set(name, references.findPayee(name));
      const found = payees.get(name);
      if (!found) return undefined;
      if (found.length !== 1)
        unresolved.push({ path, kind: 'account', text: transferAccountIn(name) ?? name, found });
      return found[0];
    },
  });
  return { resolved, unresolved };
}

export interface ReferenceReplacer {
  /** The id to use for a text. `path` is such as `transactions.0.payee_id`. */
  reference(kind: ReferenceKind, text: string, path: string): string;
  /** The `payee_id` to use instead of a `payee_name`. Undefined if the name stays. */
  payee(name: string, path: string): string | undefined;
}

/**
 * The arguments, which `schema` has parsed, with their references replaced. Those are recognised by the meaning of their schemas, as amounts are
 * (`answers/units.ts`), and the names of payees by `payee_name`. Pure.
 */
export const replaceReferences = (
  schema: z.ZodObject,
  args: JsonObject,
  replacer: ReferenceReplacer,
): JsonObject =>
  mapData(schema, args, {
    value({ meaning: { reference: kind } }, value, path) {
      return kind && typeof value === 'string' ? replacer.reference(kind, value, path.join('.')) : value;
    },
    object(_, object, path) {
      const { payee_name, ...rest } = object;
      // The service uses the name only without an id.
      if (typeof payee_name !== 'string' || typeof rest['payee_id'] === 'string') return object;
      const payee_id = replacer.payee(payee_name, [...path, 'payee_name'].join('.'));
      return payee_id === undefined ? object : { ...rest, payee_id };
    },
  });

/** Why a write must not name some things: what they are is not known, so that the write and its undo could be wrong. */
export function unknownReferences(replica: BudgetReplica, schema: z.ZodObject, args: JsonObject): string[] {
  const problems: string[] = [];
  replaceReferences(schema, args, {
    reference(_, id, path) {
      const problem = replica.problemWith(id);
      if (problem !== undefined) problems.push(`${path}: ${problem}`);
      return id;
    },
    payee: () => undefined,
  });
  return problems;
}

const hasCategoryAmounts = ({ shape }: z.ZodObject) => 'category' in shape || 'category_groups' in shape;

export const monthField = (output: z.ZodObject) =>
  hasCategoryAmounts(output) ? { month: text.optional() } : {};

/** The first day of the requested month. The default is the month of `today`. */
export function monthOf(
  output: z.ZodObject,
  { month }: JsonObject,
  today: string,
): { readonly month?: string } {
  if (!hasCategoryAmounts(output)) return {};
  return { month: typeof month === 'string' ? month : firstOfMonth(today) };
}
