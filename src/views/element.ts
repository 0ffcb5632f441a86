/** Creates elements. Texts become text nodes, so nothing in a name is markup. */

export type Child = Node | string | false | null | undefined;

type Value = string | number | boolean | undefined | (() => void);

/** An attribute that is a function is a listener, such as `onclick`. False and undefined leave an attribute out. */
export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, Value>> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  return filled(document.createElement(tag), attributes, children);
}

function svg(tag: string, attributes: Readonly<Record<string, Value>>, ...children: Child[]): SVGElement {
  return filled(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function filled<Of extends Element>(
  element: Of,
  attributes: Readonly<Record<string, Value>>,
  children: readonly Child[],
): Of {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false)
      element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children)
    if (child !== false && child !== null && child !== undefined) element.append(child);
  return element;
}

export const button = (
  kind: string,
  onclick: () => void,
  attributes: Readonly<Record<string, Value>>,
  ...children: Child[]
): HTMLElement => el('button', { type: 'button', class: kind, onclick, ...attributes }, ...children);

/** A text from outside, whose direction does not affect the text around it. */
export const name = (text: string): HTMLElement => el('bdi', {}, text);

/** A day, which stays on one line. */
export const dayText = (text: string): HTMLElement => el('bdi', { class: 'day' }, text);

/** Words of the view itself with what they are about, which stay in order in a page from right to left. */
export const phrase = (...children: Child[]): HTMLElement => el('bdi', { dir: 'ltr' }, ...children);

/** An amount as `Money` writes it. It is isolated, since the letters of its symbol may be written from right to left. */
export const amountText = (text: string): HTMLElement => el('span', { class: 'money' }, text);

/** A small line under what it is about. */
export const note = (text: string, kind?: string): HTMLElement => el('small', { class: kind }, phrase(text));

/** The figures at the head of a view. */
export const figures = (...each: Child[]): HTMLElement => el('dl', { class: 'figures' }, ...each);

export const figure = (label: string, amount: string, kind = '', ...notes: Child[]): HTMLElement =>
  el('div', { class: kind }, el('dt', {}, label), el('dd', {}, amountText(amount), ...notes));

/** A sentence in the place of what is missing. */
export const remark = (...children: Child[]): HTMLElement => el('p', { class: 'empty' }, ...children);

/** What sums leave out, by its names. */
export const leftOutRemark = (names: readonly string[]): HTMLElement | false =>
  names.length > 0 &&
  remark(
    phrase('Not in these sums, because it is not known when or whether it counts: '),
    ...separated(names.map(name), ', '),
  );

/** A part of a view under its heading. */
export const section = (heading: readonly Child[], ...children: Child[]): HTMLElement =>
  el('section', {}, el('h2', {}, ...heading), ...children);

/** Parts of a line with a sign between them. */
export const separated = (parts: readonly Child[], separator = ' · '): Child[] =>
  parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part]));

/** A picture of lines that fills its place. It is 1 high and `width` wide. */
export const picture = (width: number, ...lines: Child[]): SVGElement =>
  svg(
    'svg',
    { class: 'line', viewBox: `0 0 ${width} 1`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    ...lines,
  );

/** A line or an area of a picture. */
export const path = (d: string, kind?: string): SVGElement =>
  svg('path', { class: kind, d, 'vector-effect': 'non-scaling-stroke' });

/** Sets a custom property, since the content policy may forbid style attributes. */
export function sized(element: HTMLElement, property: string, part: number): HTMLElement {
  element.style.setProperty(property, `${Math.round(Math.max(0, Math.min(1, part)) * 10_000) / 100}%`);
  return element;
}
