/** How a person at a terminal chooses the default budget, and is told which one it is. */
import {
  choiceIn,
  describeBudgets,
  describeDefaultOf,
  type StoredSignIn,
  type StoringDeps,
  storeChoice,
} from '../../auth/checked-sign-in.ts';
import { withTimeLimit } from '../../base/abort.ts';
import { type BudgetChoice, defaultBudgetOf } from '../../base/default-budget.ts';
import { invalidConfig, undefinedIfExpected } from '../../base/errors.ts';
import { quote, visible } from '../../base/quote.ts';
import type { Config } from '../config/load-config.ts';
import { promptChoice } from './prompts.ts';
import type { SignInContext } from './sign-in-context.ts';
import { choiceBy } from './status.ts';

/**
 * Asks for the default budget of a sign-in if there are several, and says which one it is. `wanted` is an id or a name. Without a
 * terminal, or without an answer, it stays as it was. Throws `invalid_configuration` if there is no budget `wanted`.
 */
export async function chooseBudget(
  { signIn, list }: StoredSignIn,
  wanted: string | undefined,
  { io, ...deps }: Omit<StoringDeps, 'budgetsOf'> & Pick<SignInContext, 'io'>,
): Promise<void> {
  const before = choiceIn(signIn);
  let chosen: string | undefined;
  if (wanted !== undefined) {
    chosen = defaultBudgetOf(list, { by: 'settings', budget: wanted })?.budget.id;
    if (chosen === undefined)
      throw invalidConfig(
        `You are signed in, but the default budget was not chosen: ${quote(wanted)} is none of ${describeBudgets(list)}.`,
      );
  } else if (list.budgets.length > 1 && io.stdin.isTTY) {
    const options = list.budgets.map(({ id, name }) => ({ value: id, label: visible(name) }));
    const present = defaultBudgetOf(list, before)?.budget.id;
    chosen = await promptChoice('Which budget is meant if a question names none?', options, present, {
      ...io,
      signal: deps.signal,
    });
  }
  if (chosen !== undefined) await storeChoice(signIn, chosen, deps);
  const choice: BudgetChoice | undefined = chosen === undefined ? before : { by: 'sign-in', budget: chosen };
  io.stdout.write(`${DEFAULT_IS} ${describeDefaultOf(list, choice)}.\n`);
}

const DEFAULT_IS = 'A question that names no budget is about';

/** How long `nameDefault` waits: what it says is not worth a longer wait. */
const NAMING_LIMIT_MS = 3_000;

/** Says which budget is the default one, with one request. It is not said if the service does not answer in time. */
export async function nameDefault(
  config: Pick<Config, 'profile' | 'budget'>,
  { store, budgets, io, clock, signal }: SignInContext,
): Promise<void> {
  const late = new AbortController();
  const described = async () => {
    const list = await budgets(AbortSignal.any([signal, late.signal]));
    return describeDefaultOf(list, choiceBy(config, await store.read(config.profile)));
  };
  const found = described().catch(undefinedIfExpected);
  const text = await withTimeLimit(clock, NAMING_LIMIT_MS, found, () => void late.abort());
  if (text !== undefined) io.stdout.write(`${DEFAULT_IS} ${text}.\n`);
}
