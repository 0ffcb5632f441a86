/** The settings of a person as a form of choices, and the reasons why a form that was sent is not saved. */
import { html } from 'hono/html';
import { z } from 'zod';
import type { Html } from '../auth/page-layout.ts';
import { isTimeZone } from '../base/calendar.ts';
import { visible } from '../base/quote.ts';
import { type ConfirmPolicy, confirmPolicies, MAX_ROWS_UNCONFIRMED } from '../operations/consent.ts';
import type { PersonSettings } from './people.ts';
import type { BudgetName } from './upstream.ts';

export interface SettingsChoices {
  readonly settings: PersonSettings;
  /** The first is the default one without a choice. Undefined if the service did not give the list. */
  readonly budgets: readonly BudgetName[] | undefined;
  /** The settings of this server, for what the person has not chosen. */
  readonly defaults: { readonly timeZone: string; readonly confirm: ConfirmPolicy };
}

export type SettingsProblems = Partial<Record<'time_zone' | 'budget' | 'confirm', readonly string[]>>;

/** An empty field leaves the choice to the server. */
const optional = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema.optional());

export function parseSettings(
  form: Readonly<Record<string, unknown>>,
  { settings, budgets = [] }: Pick<SettingsChoices, 'settings' | 'budgets'>,
): { readonly settings: PersonSettings } | { readonly problems: SettingsProblems } {
  const isBudget = (value: string) => value === settings.budget || budgets.some(({ id }) => id === value);
  const schema = z.object({
    time_zone: optional(z.string().max(100).refine(isTimeZone, 'This time zone is not known here.')),
    budget: optional(z.string().refine(isBudget, 'This is not one of your budgets.')),
    confirm: optional(z.enum(confirmPolicies, 'This is not one of the choices.')),
  });
  const { data, error } = schema.safeParse(form);
  if (!data) return { problems: z.flattenError(error).fieldErrors };
  const { time_zone: timeZone, budget, confirm } = data;
  return {
    settings: {
      ...(timeZone !== undefined && { timeZone }),
      ...(budget !== undefined && { budget }),
      ...(confirm !== undefined && { confirm }),
    },
  };
}

const confirmTexts: Readonly<Record<ConfirmPolicy, string>> = {
  none: 'never',
  deletes: 'before deletions and large changes',
  writes: 'before every change',
};

/** By the part of the world that their names begin with. */
const timeZones = Intl.supportedValuesOf('timeZone').map((name) => {
  const [area = '', ...place] = name.split('/');
  return { name, area, label: place.join(', ').replaceAll('_', ' ') };
});
const areas = [...new Set(timeZones.map(({ area }) => area))];

export function settingsFields({ settings, budgets, defaults }: SettingsChoices, problems: SettingsProblems) {
  const { timeZone = '', budget = '', confirm = '' } = settings;
  const isListed = timeZone === '' || timeZones.some(({ name }) => name === timeZone);
  const [first] = budgets ?? [];
  const isOwn = budgets?.some(({ id }) => id === budget) ?? false;
  return html`${field('time_zone', 'Time zone', problems, [
    option('', `default: ${defaults.timeZone}`, timeZone),
    option('UTC', 'UTC', timeZone),
    isListed || timeZone === 'UTC' ? '' : option(timeZone, timeZone, timeZone),
    ...areas.map(
      (area) => html`<optgroup label="${area}">${timeZones
        .filter((zone) => zone.area === area)
        .map(({ name, label }) => option(name, label, timeZone))}</optgroup>
`,
    ),
  ])}
${field('budget', 'Budget, if I name none', problems, [
  option('', `default${first ? `: ${visible(first.name)}` : ''}`, budget),
  isOwn || budget === '' ? '' : option(budget, `as now: ${visible(budget)}`, budget),
  ...(budgets ?? []).map(({ id, name }) => {
    const isUnique = budgets?.every((other) => other.id === id || other.name !== name);
    return option(id, isUnique ? visible(name) : `${visible(name)} (${id.slice(0, 8)})`, budget);
  }),
])}
<p class="soft">By default the one that is the default at the service, else the one that begins first.</p>
${
  budgets
    ? ''
    : html`<p class="soft">The list of your budgets could not be read when you signed in, so your present choice is
kept. To see the list, sign out and sign in again.</p>`
}
${field('confirm', 'Applications ask me', problems, [
  option('', `default: ${confirmTexts[defaults.confirm]}`, confirm),
  ...confirmPolicies.map((policy) => option(policy, confirmTexts[policy], confirm)),
])}
<p class="soft">Large changes are those of more than ${MAX_ROWS_UNCONFIRMED} entries at once.</p>`;
}

const option = (value: string, label: string, chosen: string): Html =>
  html`<option value="${value}"${value === chosen ? html` selected` : ''}>${label}</option>`;

function field(
  name: keyof SettingsProblems,
  label: string,
  { [name]: problems }: SettingsProblems,
  options: readonly (Html | string)[],
): Html {
  const id = `${name}-problem`;
  return html`<p><label for="${name}">${label}</label>
<select id="${name}" name="${name}"${problems ? html` aria-invalid="true" aria-describedby="${id}"` : ''}>${options}</select>
${problems ? html`<span class="problem" id="${id}">${problems.join(' ')}</span>` : ''}</p>`;
}
