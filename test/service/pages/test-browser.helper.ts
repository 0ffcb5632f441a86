/** A browser for tests over HTTP: keeps cookies and sends the forms of a page. */
import type { Service } from '../../../src/service/server.ts';

/** A page or a redirect. */
export interface PageResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The target of a redirect. */
  readonly location: URL;
}

export class TestBrowser {
  readonly #service: Service;
  readonly #cookies = new Map<string, string>();
  #csrf = '';

  constructor(service: Service) {
    this.#service = service;
  }

  /** Requests a page without following redirects. */
  async get(path: string): Promise<PageResponse> {
    return this.#send(path, {});
  }

  /** Sends a form to an address, with the CSRF token of the last page. */
  async send(path: string, fields: Readonly<Record<string, string>>): Promise<PageResponse> {
    return this.#send(path, {
      method: 'POST',
      body: new URLSearchParams({ csrf: this.#csrf, ...fields }),
    });
  }

  /** Signs in on a page and returns the page after the sign-in. */
  async signIn(
    path: string,
    { email, password }: { email: string; password: string },
  ): Promise<PageResponse> {
    await this.get(path);
    await this.send(path, { intent: 'sign-in', email, password });
    return this.get(path);
  }

  get cookies(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  async #send(path: string, init: RequestInit): Promise<PageResponse> {
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
