/** A browser for tests: it keeps cookies as browsers do, follows redirects between known servers, and sends forms. */

export interface View {
  readonly url: URL;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly host: string;
  readonly path: string;
  readonly isHttpOnly: boolean;
}

const MAX_REDIRECTS = 10;

export class Browser {
  cookies: Cookie[] = [];
  /** Every address that was requested, with the last one that was not because no known server has it. */
  readonly visited: string[] = [];
  readonly #origins: ReadonlySet<string>;

  /** Redirects to other origins are not followed: there the client takes over. */
  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins);
  }

  async open(url: URL | string, init: RequestInit = {}): Promise<View> {
    let next = new URL(url);
    let request = init;
    for (let count = 0; count < MAX_REDIRECTS; count++) {
      this.visited.push(next.href);
      if (!this.#origins.has(next.origin)) return { url: next, status: 0, headers: new Headers(), text: '' };
      const response = await this.request(next, request);
      const text = await response.text();
      const refresh = /http-equiv="refresh" content="0; url=([^"]*)"/.exec(text)?.[1];
      const location = response.headers.get('location') ?? refresh?.replaceAll('&amp;', '&');
      if (location === undefined)
        return { url: next, status: response.status, headers: response.headers, text };
      next = new URL(location, next);
      request = {};
    }
    throw new Error(`Too many redirects: ${this.visited.join(' ')}`);
  }

  /** One request, with the cookies of the address. */
  async request(url: URL, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    const cookies = this.cookiesFor(url);
    if (cookies.length > 0)
      headers.set('cookie', cookies.map(({ name, value }) => `${name}=${value}`).join('; '));
    headers.set('accept', 'text/html');
    // A browser repeats a request whose connection the server has just closed, because it was idle. This one has no such connection.
    headers.set('connection', 'close');
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) this.#keep(line, url);
    return response;
  }

  cookiesFor({ hostname, pathname }: URL): Cookie[] {
    return this.cookies.filter(
      ({ host, path }) =>
        host === hostname &&
        (pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`)),
    );
  }

  /** Sends the form of a page, with its hidden fields. */
  async submit(view: View, fields: Readonly<Record<string, string>>): Promise<View> {
    const csrf = /name="csrf" value="([^"]*)"/.exec(view.text)?.[1] ?? '';
    const chosen = [...view.text.matchAll(/type="radio" name="([^"]*)" value="([^"]*)" checked/g)];
    const body = new URLSearchParams({
      csrf,
      ...Object.fromEntries(chosen.map(([, name, value]) => [name, value])),
      ...fields,
    });
    return this.open(view.url, { method: 'POST', body });
  }

  #keep(line: string, url: URL): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const name = pair.slice(0, pair.indexOf('='));
    const value = pair.slice(name.length + 1);
    const attributeOf = (attribute: string) =>
      attributes.find((each) => each.toLowerCase().startsWith(`${attribute}=`))?.slice(attribute.length + 1);
    const path = attributeOf('path') ?? '/';
    const host = url.hostname;
    this.cookies = this.cookies.filter(
      (each) => !(each.name === name && each.path === path && each.host === host),
    );
    const expires = attributeOf('expires');
    const isGone =
      attributeOf('max-age') === '0' || (expires !== undefined && Date.parse(expires) < 86_400_000);
    const isHttpOnly = attributes.some((each) => each.toLowerCase() === 'httponly');
    if (!isGone) this.cookies.push({ name, value, host, path, isHttpOnly });
  }
}
