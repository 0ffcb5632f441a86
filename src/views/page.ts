/**
 * The page of a view: gets the result of its tool from the host, draws it, asks read tools when a person presses something,
 * and tells the model what the person looks at. Writes nothing. A result that cannot be drawn is shown as text.
 */
import { VIEW_DATA_KEY, VIEW_DATA_VERSION } from '../answers/view-data/version.ts';
import type { ViewKind } from '../answers/view-data/view-content.ts';
import type { ContentOf, ViewData } from '../features/view-data.ts';
import { Bridge, type HostContext, type ToolResult } from './bridge.ts';
import { type Dates, datesFor } from './dates.ts';
import { button, type Child, el, name, phrase } from './element.ts';
import { type Count, countFormatter, type Money, moneyFormatter } from './money.ts';

/** A call of a read tool. */
export interface Question {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Everything that a drawing needs in addition to its content. */
export interface Drawing {
  readonly money: Money;
  readonly count: Count;
  readonly dates: Dates;
  /** The call whose result is drawn. */
  readonly question: Question;
  /** Asks a read tool and draws its result. Undefined if the host lets a view call no tools. */
  readonly ask: ((question: Question) => void) | undefined;
  /** Asks a read tool for more of the same. Throws if there is no such content. */
  more<Kind extends ViewKind>(kind: Kind, question: Question): Promise<ContentOf<Kind>>;
}

export interface Drawn {
  readonly title: Node | string;
  /** Follows the title, such as the months. */
  readonly subtitle: Child[];
  readonly body: Child[];
}

/** The drawings of a page, by what they draw. */
export type Drawings = {
  readonly [Kind in ViewKind]?: (content: ContentOf<Kind>, drawing: Drawing) => Drawn;
};

/** A result, and the call that it answers. */
interface Shown {
  readonly question: Question;
  readonly result: ToolResult;
}

const MAX_CONTEXT = 1_000;

export function startPage(tool: string, drawings: Drawings): void {
  new Page(tool, drawings).start();
}

class Page {
  readonly #drawings: Drawings;
  readonly #main = el('main', { 'aria-busy': 'true' });
  readonly #status = el('p', { role: 'status', class: 'status' });
  readonly #bridge: Bridge;
  readonly #history: Shown[] = [];
  #question: Question;
  #lastAsked: Question | undefined;
  #context: HostContext = {};
  #dates = datesFor(undefined);

  constructor(tool: string, drawings: Drawings) {
    this.#question = { tool, args: {} };
    this.#drawings = drawings;
    this.#bridge = new Bridge({
      context: (changed) => this.#adapt(changed),
      toolInput: (args) => {
        this.#question = { tool, args };
      },
      toolResult: (result) => {
        this.#history.splice(0);
        // The answer to an earlier press is about what was shown before.
        this.#lastAsked = undefined;
        this.#show({ question: this.#question, result });
      },
      toolCancelled: () => this.#say('The call was cancelled.'),
    });
  }

  start(): void {
    this.#main.append(unseenTitle());
    document.body.append(this.#main, this.#status);
    this.#say('Loading …');
    new ResizeObserver(() => {
      const { width, height } = document.documentElement.getBoundingClientRect();
      this.#bridge.notify('ui/notifications/size-changed', {
        width: Math.ceil(width),
        height: Math.ceil(height),
      });
    }).observe(document.documentElement);
    this.#bridge.connect().catch(() => this.#say('The host did not answer.'));
  }

  /** Uses the theme, the colours and the language of the host. */
  #adapt(changed: HostContext): void {
    const localeBefore = this.#context.locale;
    this.#context = { ...this.#context, ...changed };
    const { theme, locale, styles } = this.#context;
    const { style } = document.documentElement;
    if (theme === 'light' || theme === 'dark') style.colorScheme = theme;
    for (const [property, value] of Object.entries(styles?.variables ?? {}))
      if (property.startsWith('--') && value !== undefined) style.setProperty(property, value);
    this.#dates = datesFor(locale ?? navigator.language);
    document.documentElement.dir = this.#dates.direction;
    const shown = this.#history.at(-1);
    if (shown && locale !== localeBefore) this.#draw(shown);
  }

  #say(text: string, isError = false): void {
    this.#status.textContent = text;
    this.#status.classList.toggle('error', isError);
    this.#main.setAttribute('aria-busy', String(text.endsWith('…')));
  }

  #show(shown: Shown): void {
    this.#history.push(shown);
    this.#draw(shown);
  }

  #draw(shown: Shown): void {
    this.#say('');
    const data = dataOf(shown.result);
    let nodes: Node[] | undefined;
    try {
      nodes = data && this.#drawn(data, shown);
    } catch {
      // The text says the same.
    }
    this.#main.replaceChildren(
      ...(nodes ?? [unseenTitle(), this.#backButton(), textOf(shown.result)].filter(isNode)),
    );
  }

  #backButton(): Child {
    return this.#history.length > 1 && button('back', () => this.#goBack(), {}, 'Back');
  }

  #drawn(
    { budget, as_of, stale_reason, notice, content }: ViewData,
    { question }: Shown,
  ): Node[] | undefined {
    const draw = this.#drawings[content.kind] as
      | ((of: typeof content, drawing: Drawing) => Drawn)
      | undefined;
    if (!draw) return undefined;
    const ofBudget = ({ tool, args }: Question): Question =>
      budget ? { tool, args: { ...args, budget_id: budget.id } } : { tool, args };
    const { title, subtitle, body } = draw(content, {
      money: moneyFormatter(budget?.money ?? null),
      count: countFormatter(budget?.money ?? null),
      dates: this.#dates,
      question,
      ask: this.#bridge.capabilities.serverTools && ((next) => void this.#ask(ofBudget(next))),
      more: (kind, next) => this.#more(kind, ofBudget(next)),
    });
    return [
      el(
        'header',
        {},
        this.#backButton(),
        budget && el('p', { class: 'budget' }, name(budget.name)),
        el('h1', { tabindex: -1 }, title),
        el('p', { class: 'subtitle' }, ...subtitle),
      ),
      ...body.filter(isNode),
      el(
        'footer',
        {},
        el(
          'p',
          {},
          phrase(
            ...(as_of === undefined ? [] : ['As of ', name(this.#dates.moment(as_of)), '. ']),
            stale_reason && `${stale_reason} `,
            notice,
          ),
        ),
      ),
    ];
  }

  #goBack(): void {
    this.#history.pop();
    this.#lastAsked = undefined;
    const shown = this.#history.at(-1);
    if (!shown) return;
    this.#draw(shown);
    this.#focusTitle();
    this.#tellModel(shown);
  }

  async #ask(question: Question): Promise<void> {
    const pressed = document.activeElement?.getAttribute('data-key');
    this.#say('Loading …');
    this.#lastAsked = question;
    try {
      const result = await this.#call(question);
      // A person who is faster than the server gets what was pressed last.
      if (this.#lastAsked !== question) return;
      if (result.isError) return this.#say(linesOf(result).join(' '), true);
      const shown = { question, result };
      this.#show(shown);
      this.#tellModel(shown);
      const again = [...document.querySelectorAll<HTMLElement>('[data-key]')].find(
        (each) => each.dataset['key'] === pressed,
      );
      if (pressed && again) again.focus();
      else this.#focusTitle();
    } catch (error) {
      if (this.#lastAsked !== question) return;
      this.#say(`This could not be loaded. ${error instanceof Error ? error.message : ''}`, true);
    }
  }

  async #more<Kind extends ViewKind>(kind: Kind, question: Question) {
    const result = await this.#call(question);
    const content = dataOf(result)?.content;
    if (content && isOf(kind, content)) return content;
    throw new Error(linesOf(result)[0]);
  }

  #call({ tool, args }: Question): Promise<ToolResult> {
    return this.#bridge.request('tools/call', { name: tool, arguments: args });
  }

  #focusTitle(): void {
    document.querySelector('h1')?.focus();
  }

  /** The first line of the text says in the server's words what is shown, with names in quotes. */
  #tellModel({ question: { tool }, result }: Shown): void {
    if (!this.#bridge.capabilities.updateModelContext) return;
    const [first = ''] = linesOf(result);
    const text = `In the view, the user now looks at an answer of ${tool}: ${first}`.slice(0, MAX_CONTEXT);
    this.#bridge.request('ui/update-model-context', { content: [{ type: 'text', text }] }).catch(() => {});
  }
}

/** For people who do not see the page, as long as nothing is drawn. */
const unseenTitle = () => el('h1', { class: 'unseen' }, document.title);

const isNode = (child: Child): child is Node => child instanceof Node;

/**
 * Undefined if the result has no data for this version of the view. The same server made the page and the data, so only the
 * version has to be checked.
 */
function dataOf({ _meta }: ToolResult): ViewData | undefined {
  const data = _meta?.[VIEW_DATA_KEY] as ViewData | null | undefined;
  return data?.version === VIEW_DATA_VERSION ? data : undefined;
}

const isOf = <Kind extends ViewKind>(kind: Kind, content: ViewData['content']): content is ContentOf<Kind> =>
  content.kind === kind;

const linesOf = ({ content }: ToolResult): string[] =>
  (content ?? []).flatMap(({ text }) => (text === undefined ? [] : text.split('\n')));

function textOf(result: ToolResult): Node {
  const kind = result.isError ? { class: 'text problem', role: 'alert' } : { class: 'text' };
  return el('pre', { ...kind, dir: 'auto' }, linesOf(result).join('\n'));
}
