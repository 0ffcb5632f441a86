/** A person before a browser, for tests of what is said over HTTP: keeps cookies, fills in the forms of a page. */
import type { Service } from '../../../src/service/server.ts';

/** What the visitor sees or is sent to. */
export interface Seen {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Where a redirection leads. */
  readonly location: URL;
}

export class Visitor {
  readonly #service: Service;
  readonly #cookies = new Map<string, string>();
  #csrf = '';

  constructor(service: Service) {
    this.#service = service;
  }

  /** Looks at a page, following no redirection. */
  async get(path: string): Promise<Seen> {
    return this.#send(path, {});
  }

  /** Sends a form of the page that was seen last, to the address given. */
  async send(path: string, fields: Readonly<Record<string, string>>): Promise<Seen> {
    return this.#send(path, {
      method: 'POST',
      body: new URLSearchParams({ csrf: this.#csrf, ...fields }),
    });
  }

  /** Signs in and sees the page behind the sign-in. */
  async signIn(path: string, { email, password }: { email: string; password: string }): Promise<Seen> {
    await this.get(path);
    await this.send(path, { intent: 'sign-in', email, password });
    return this.get(path);
  }

  get cookies(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  async #send(path: string, init: RequestInit): Promise<Seen> {
    const url = new URL(path, this.#service.appUrl);
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { Cookie: this.cookies } });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      this.#cookies.set(name, value);
    }
    const text = await response.text();
    this.#csrf = /name="csrf" value="([^"]*)"/.exec(text)?.[1] ?? this.#csrf;
    const { status, headers } = response;
    return { status, headers, text, location: new URL(headers.get('Location') ?? 'none:', url) };
  }
}
