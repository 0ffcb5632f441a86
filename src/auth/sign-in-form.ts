/** The form of the sign-in page: what it shows, and what a person has entered. It knows nothing about requests and stores. */
import { html } from 'hono/html';
import { z } from 'zod';
import { defaultBudgetOf } from '../base/default-budget.ts';
import { invalidInput } from '../base/errors.ts';
import { visible } from '../base/quote.ts';
import { choiceIn, type StoredSignIn } from './checked-sign-in.ts';
import type { Application } from './oauth.ts';
import { clearAddress, page } from './redirect-pages.ts';
import {
  baseAddress,
  bearerToken,
  type KnownService,
  knownServices,
  serviceAddress,
  serviceAt,
} from './service-address.ts';
import type { SignIn } from './token-store.ts';

/** A service whose tokens are asked for. */
export type Service = Pick<KnownService, 'baseUrl'> & Partial<KnownService>;

export interface FormFacts {
  /** The only service that the server uses. Undefined if the person chooses one. */
  readonly service?: Service | undefined;
  /** The sign-in that has ended, or that is to be replaced. */
  readonly before?: SignIn | undefined;
  /** Whether the sign-in would be stored unencrypted in a file, which the person has to agree to. */
  readonly needsFile: boolean;
  /** Whether the server only reads. */
  readonly readOnly: boolean;
}

const text = z.string().trim().default('');
const box = z.literal('on').optional();

const formSchema = z.object({
  way: z.enum(['token', 'browser', 'cancel', 'budget']),
  service: text,
  base_url: text,
  app_url: text,
  token: text,
  /** The id of the default budget. */
  budget: text,
  client_id: text,
  client_secret: text,
  read_only: box,
  in_file: box,
});

export type Entered = z.output<typeof formSchema>;

/** Undefined if it is not the form of this page. */
export const readForm = (body: string): Entered | undefined =>
  formSchema.safeParse(Object.fromEntries(new URLSearchParams(body))).data;

const OTHER = 'other';

function addressOf(name: string, schema: typeof serviceAddress, value: string): string {
  const { data, error } = schema.safeParse(value);
  if (data === undefined) throw invalidInput(`${name} ${error?.issues[0]?.message}.`);
  return data;
}

function secretOf(name: string, value: string): string {
  if (value === '') throw invalidInput(`${name} is missing.`);
  if (!bearerToken.safeParse(value).success)
    throw invalidInput(`${name} must be a single word, as the service shows it.`);
  return value;
}

/** Throws `invalid_input`. */
export function chosenService(entered: Entered, { service }: FormFacts): Service {
  if (service) return service;
  const known = knownServices.get(entered.service);
  if (known) return known;
  if (entered.service !== OTHER) throw invalidInput('Choose the service that you keep your budget with.');
  return { baseUrl: addressOf('The address of the interface', baseAddress, entered.base_url) };
}

/** Throws `invalid_input`. */
export function agreedToFile({ in_file }: Entered, { needsFile }: FormFacts): boolean {
  if (needsFile && !in_file)
    throw invalidInput('This computer has no keychain. Agree to the file, or use a computer with one.');
  return needsFile;
}

/** Without a token, the one of the earlier sign-in at the same service, with its id. Throws `invalid_input`. */
export function enteredToken(
  { token }: Entered,
  { baseUrl }: Service,
  { before }: FormFacts,
): { readonly accessToken: string; readonly id?: string } {
  const isSame = before?.kind === 'personal' && before.baseUrl === baseUrl;
  if (isSame && (token === '' || token === before.accessToken)) return before;
  return { accessToken: secretOf('The personal access token', token) };
}

/** The earlier secret is for the same application only. Throws `invalid_input`. */
export function enteredApplication(entered: Entered, service: Service, { before }: FormFacts): Application {
  const appUrl = service.appUrl ?? addressOf('The address for signing in', serviceAddress, entered.app_url);
  const clientId = secretOf('The client id', entered.client_id);
  const isSame =
    before?.kind === 'authorization_code' && before.clientId === clientId && before.appUrl === appUrl;
  const clientSecret =
    isSame && entered.client_secret === ''
      ? before.clientSecret
      : secretOf('The client secret', entered.client_secret);
  const scope = entered.read_only ? 'read-only' : 'full';
  return { kind: 'authorization_code', appUrl, clientId, clientSecret, scope };
}

type Shown = { readonly [Name in keyof Entered]?: Entered[Name] | undefined };

/** The first content of a form, from the sign-in before. */
const initial = ({ before, readOnly }: FormFacts): Shown => {
  const granted = before?.kind === 'personal' ? undefined : before;
  return {
    service: serviceAt(before?.baseUrl)?.[0] ?? (before && OTHER),
    base_url: before?.baseUrl,
    app_url: before?.appUrl,
    client_id: granted?.clientId,
    read_only: readOnly || granted?.scope === 'read-only' ? 'on' : undefined,
  };
};

/** The form, with the mistake in the one that was sent. Secrets are not shown again. */
export function signInForm(facts: FormFacts, entered?: Entered, mistake?: string): Promise<string> {
  const values: Shown = entered ?? initial(facts);
  const { service, needsFile, before } = facts;
  const withBrowser = values.way === 'browser' || (!entered && before?.kind === 'authorization_code');
  return page(
    {
      heading: 'Sign in to your budget',
      text: 'Your assistant asks about your budget. What you enter here is sent to your budgeting service only. Your assistant does not get it.',
    },
    {
      body: html`${mistake && html`<p class="problem" role="alert">${mistake}</p>`}
<form method="post">
${service ? html`<p class="soft">Service: ${service.baseUrl}</p>` : serviceChoice(values)}
<label for="token">Personal access token</label>
<input id="token" name="token" type="password" autocomplete="off" spellcheck="false" aria-describedby="token-hint">
<p class="soft" id="token-hint">${TOKEN_HINT}${before?.kind === 'personal' && ' Leave it empty to keep the present one, and to choose another default budget.'}</p>
${needsFile && agreement(values)}
<p class="buttons">
<button class="main" name="way" value="token">Sign in with this token</button>
<button name="way" value="cancel">Cancel</button>
</p>
<details ${withBrowser && 'open'}>
<summary>Sign in at the service instead, with an application that you have registered there</summary>
<p class="soft">${CALLBACK_HINT}</p>
${!service?.appUrl && field('app_url', 'Address for signing in', values.app_url, 'Only for a service that is not in the list, such as https://app.example.com.')}
${field('client_id', 'Client id', values.client_id)}
<label for="client_secret">Client secret</label>
<input id="client_secret" name="client_secret" type="password" autocomplete="off" spellcheck="false">
${before?.kind === 'authorization_code' && html`<p class="soft">Leave it empty to use the one of the earlier sign-in.</p>`}
<label class="choice"><input type="checkbox" name="read_only" ${values.read_only && 'checked'}>For reading only</label>
<button name="way" value="browser">Continue to the service</button>
</details>
</form>`,
    },
  );
}

/** Asks which budget is meant where none is named, after the sign-in was stored. It is sent to `action`. */
export const budgetForm = ({ signIn, list }: StoredSignIn, action: string): Promise<string> => {
  const present = defaultBudgetOf(list, choiceIn(signIn))?.budget.id;
  return page(
    { heading: 'Choose your default budget', text: 'You are signed in. There are several budgets.' },
    {
      body: html`<form method="post" action="${action}">
<fieldset>
<legend>Which one is meant if a question names none?</legend>
${list.budgets.map(
  ({ id, name }) =>
    html`<label class="choice"><input type="radio" name="budget" value="${id}" required ${id === present && 'checked'}>${visible(name)}</label>`,
)}
</fieldset>
<p class="buttons"><button class="main" name="way" value="budget">Choose this budget</button></p>
</form>`,
      // The service may have sent the browser here, with a code.
      script: clearAddress,
    },
  );
};

const serviceChoice = (values: Shown) => html`<fieldset>
<legend>Service</legend>
${[...knownServices].map(
  ([name, { appUrl }]) =>
    html`<label class="choice"><input type="radio" name="service" value="${name}" ${values.service === name && 'checked'}>${name.toUpperCase()} (<a href="${appUrl}" rel="noreferrer" target="_blank">${new URL(appUrl).host}</a>)</label>`,
)}
<label class="choice"><input type="radio" name="service" value="${OTHER}" ${values.service === OTHER && 'checked'}>Another one with the same interface</label>
${field('base_url', 'Address of its interface', values.base_url, 'Only for another one, such as https://api.example.com/v1.')}
</fieldset>`;

const TOKEN_HINT =
  'You make one in the developer settings of your budgeting service. It may do everything that you may do there.';

const CALLBACK_HINT =
  'The service sends the browser back to http://127.0.0.1/callback at any free port. If it takes only an exact address, use the personal access token above, or login --oauth --redirect-uri in a terminal.';

const AGREEMENT =
  'This computer has no keychain that can be used. Store the sign-in unencrypted in a file that only my user may read.';

const agreement = (values: Shown) =>
  html`<label class="choice"><input type="checkbox" name="in_file" ${values.in_file && 'checked'}>${AGREEMENT}</label>`;

const field = (
  name: string,
  label: string,
  value = '',
  hint?: string,
) => html`<label for="${name}">${label}</label>
<input id="${name}" name="${name}" value="${value}" autocomplete="off" spellcheck="false" ${hint && html`aria-describedby="${name}-hint"`}>
${hint && html`<p class="soft" id="${name}-hint">${hint}</p>`}`;
