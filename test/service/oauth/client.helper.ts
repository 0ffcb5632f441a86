/** An OAuth application for tests, and users who authorize it. */
import { expect } from 'vitest';
import { z } from 'zod';
import type { User } from '../../../src/service/access.ts';
import type { Registration } from '../../../src/service/oauth/applications.ts';
import { type PageResponse, TestBrowser } from '../pages/test-browser.helper.ts';
import { bearer, type RunningService } from '../running-service.helper.ts';

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

  /** The address of the authorization page. Parameters that are undefined are omitted. */
  authorize(parameters: Readonly<Record<string, string | undefined>> = {}): string {
    const query = new URLSearchParams();
    const merged = { client_id: this.id, redirect_uri: redirectUri, response_type: 'code', ...parameters };
    for (const [name, value] of Object.entries(merged)) if (value !== undefined) query.set(name, value);
    return `/oauth/authorize?${query}`;
  }

  /** Signs a user in and allows the request. Returns the redirect. */
  async allow(
    parameters: Readonly<Record<string, string | undefined>> = {},
    user = this.service.signIn,
    fields: Readonly<Record<string, string>> = {},
  ): Promise<PageResponse> {
    const browser = new TestBrowser(this.service);
    const page = this.authorize(parameters);
    await browser.signIn(page, user);
    return browser.send(page, { intent: 'allow', ...fields });
  }

  async code(parameters: Readonly<Record<string, string | undefined>> = {}): Promise<string> {
    return (await this.allow(parameters)).location.searchParams.get('code') ?? '';
  }

  /** Sends a token request as form data. The client credentials are included unless `fields` override them. */
  async requestTokens(
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
    return this.requestTokens({
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      ...fields,
    });
  }

  async refresh(refreshToken: string) {
    return this.requestTokens({ grant_type: 'refresh_token', refresh_token: refreshToken });
  }

  /** Authorizes the application and exchanges the code for tokens. */
  async tokens(parameters: Readonly<Record<string, string | undefined>> = {}): Promise<Tokens> {
    return tokensOf(await this.exchange(await this.code(parameters)));
  }

  /** The status of a request with an access token. */
  async status(accessToken: string, method = 'GET'): Promise<number> {
    const response = await fetch(`${this.service.baseUrl}/budgets`, { method, headers: bearer(accessToken) });
    return response.status;
  }
}

export function tokensOf({ status, body }: { status: number; body: unknown }): Tokens {
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return tokenResponse.parse(body);
}

/** An error response of the token endpoint. */
export const errorResponse = (error: string, status = 400) => ({
  status,
  body: { error, error_description: expect.any(String) },
});
