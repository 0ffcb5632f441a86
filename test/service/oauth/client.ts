/** An OAuth application for tests, and users who let it in. */
import { expect } from 'vitest';
import { z } from 'zod';
import type { User } from '../../../src/service/access.ts';
import type { Registration } from '../../../src/service/oauth/applications.ts';
import { type Seen, Visitor } from '../pages/visitor.ts';
import { bearer, type RunningService } from '../running-service.ts';

export const redirectUri = 'https://app.example/callback?from=service';

const tokenResponse = z.strictObject({
  access_token: z.string().min(40),
  token_type: z.literal('bearer'),
  expires_in: z.int(),
  refresh_token: z.string().min(40),
});

export type Tokens = z.output<typeof tokenResponse>;

export class Client {
  readonly service: RunningService;
  readonly id: string;
  readonly secret: string;

  constructor(service: RunningService, details: Partial<Registration> & { owner?: User } = {}) {
    const { owner = service.user, ...rest } = details;
    const registered = service.oauth.applications.register(owner, {
      name: 'Ledger & <Sons>',
      redirectUris: [redirectUri],
      ...rest,
    });
    this.service = service;
    this.id = registered.clientId;
    this.secret = registered.clientSecret;
  }

  /** The address of the authorization page; a parameter that is undefined is left out. */
  authorize(parameters: Readonly<Record<string, string | undefined>> = {}): string {
    const query = new URLSearchParams();
    const all = { client_id: this.id, redirect_uri: redirectUri, response_type: 'code', ...parameters };
    for (const [name, value] of Object.entries(all)) if (value !== undefined) query.set(name, value);
    return `/oauth/authorize?${query}`;
  }

  /** A user signs in and allows what is asked for; what they are sent to. */
  async allowed(
    parameters: Readonly<Record<string, string | undefined>> = {},
    user = this.service.signIn,
    fields: Readonly<Record<string, string>> = {},
  ): Promise<Seen> {
    const visitor = new Visitor(this.service);
    const page = this.authorize(parameters);
    await visitor.signIn(page, user);
    return visitor.send(page, { intent: 'allow', ...fields });
  }

  async code(parameters: Readonly<Record<string, string | undefined>> = {}): Promise<string> {
    return (await this.allowed(parameters)).location.searchParams.get('code') ?? '';
  }

  /** Asks for tokens with form data; the credentials are there unless they are overridden. */
  async ask(
    fields: Readonly<Record<string, string>>,
  ): Promise<{ status: number; headers: Headers; body: unknown }> {
    const body = new URLSearchParams({ client_id: this.id, client_secret: this.secret, ...fields });
    return this.post({ body });
  }

  async post(init: RequestInit, query = ''): Promise<{ status: number; headers: Headers; body: unknown }> {
    const response = await fetch(`${this.service.appUrl}/oauth/token${query}`, { method: 'POST', ...init });
    return { status: response.status, headers: response.headers, body: await response.json() };
  }

  async exchange(code: string, fields: Readonly<Record<string, string>> = {}) {
    return this.ask({ grant_type: 'authorization_code', code, redirect_uri: redirectUri, ...fields });
  }

  async refresh(refreshToken: string) {
    return this.ask({ grant_type: 'refresh_token', refresh_token: refreshToken });
  }

  /** A user lets the application in, and it gets its tokens. */
  async tokens(parameters: Readonly<Record<string, string | undefined>> = {}): Promise<Tokens> {
    return tokensOf(await this.exchange(await this.code(parameters)));
  }

  /** The status that a request with an access token gets. */
  async status(accessToken: string, method = 'GET'): Promise<number> {
    const response = await fetch(`${this.service.baseUrl}/budgets`, { method, headers: bearer(accessToken) });
    return response.status;
  }
}

export function tokensOf({ status, body }: { status: number; body: unknown }): Tokens {
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return tokenResponse.parse(body);
}

/** What an error of the token endpoint looks like. */
export const refusal = (error: string, status = 400) => ({
  status,
  body: { error, error_description: expect.any(String) },
});
