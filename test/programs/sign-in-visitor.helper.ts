/** A person with a browser without scripts, on the page for signing in that a host has opened. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { z } from 'zod';

export interface Shown {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export class SignInVisitor {
  readonly url: string;
  /** As a browser sends it with each request to the page. */
  cookie = '';

  constructor(url: string) {
    this.url = url;
  }

  get origin(): string {
    return new URL(this.url).origin;
  }

  async open(): Promise<Shown> {
    const response = await fetch(this.url, { headers: { cookie: this.cookie } });
    this.cookie = response.headers.get('set-cookie')?.split(';')[0] ?? this.cookie;
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  /** Sends the form as `sendOnly` does, and chooses the budget that the answer proposes, if it asks for one. */
  async send(...form: Parameters<SignInVisitor['sendOnly']>): Promise<Shown> {
    const shown = await this.sendOnly(...form);
    return (await this.choose(shown.text)) ?? shown;
  }

  /** Chooses the budget that a page proposes. Undefined if it asks for none. */
  async choose(text: string): Promise<Shown | undefined> {
    const budget = /name="budget" value="([^"]+)" required checked/.exec(text)?.[1];
    return budget === undefined ? undefined : this.sendOnly({ way: 'budget', budget });
  }

  /** Sends a form, by default from the page itself. */
  async sendOnly(
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Shown> {
    const response = await fetch(this.url, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { origin: this.origin, cookie: this.cookie, ...headers },
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  /** The status for another name of this machine, which `fetch` would not send. */
  async statusAs(host: string): Promise<number | undefined> {
    const sent = request(this.url, { headers: { host } }).end();
    const [response] = z.tuple([z.custom<IncomingMessage>()]).parse(await once(sent, 'response'));
    response.resume();
    return response.statusCode;
  }
}
