/** Signs in as the program does, against a running service, and gives access to the result. */

import { EventEmitter, once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import {
  type LoginConfig,
  type LoginDeps,
  type LoginOptions,
  runLogin,
} from '../../../src/app/commands/login.ts';
import type { BudgetsOf } from '../../../src/auth/checked-sign-in.ts';
import type { Send } from '../../../src/auth/oauth.ts';
import { fixedTokenProvider } from '../../../src/auth/token-provider.ts';
import type { SignIn } from '../../../src/auth/token-store.ts';
import type { BudgetList } from '../../../src/base/default-budget.ts';
import { listBudgets } from '../../../src/operations/budgets.ts';
import { BudgetClient } from '../../../src/session/budget-client.ts';
import { HttpSender } from '../../../src/session/http/http-sender.ts';
import { MemoryTokenStore } from '../../auth/memory-token-store.helper.ts';
import { callOperation } from '../../call-operation.helper.ts';
import { startTestService } from '../../service/running-service.helper.ts';

/** A person at a terminal, and a service with a personal access token and an application. */
export async function startSigningIn() {
  const service = await startTestService();
  onTestFinished(() => service.close());
  const { clock, baseUrl, appUrl, client } = service;
  const sender = new HttpSender({ clock });
  onTestFinished(() => sender.close());
  const budgetsOf: BudgetsOf = async (credential, signal) => {
    const budgetClient = new BudgetClient({ tokens: fixedTokenProvider(credential), sender, clock });
    const { data } = await callOperation(budgetClient, listBudgets, {}, signal);
    return data;
  };

  const send: Send = (request, signal) => sender.send(request, signal);
  const store = new MemoryTokenStore();
  const stop = new AbortController();
  const config: LoginConfig = {
    profile: 'default',
    baseUrl,
    appUrl,
    readOnly: false,
    checksCertificates: true,
    ...client,
  };

  const configured = (overrides: object): LoginConfig => ({ ...config, ...overrides });

  /** Runs the command. Its output can be read while it runs. */
  const login = (
    options: LoginOptions,
    { stdin = '', ...parts }: Partial<Omit<LoginDeps, 'io'>> & { stdin?: string | PassThrough } = {},
    overrides: { [Name in keyof LoginConfig]?: LoginConfig[Name] | undefined } = {},
  ) => {
    const input = typeof stdin === 'string' ? new PassThrough().end(stdin) : stdin;
    const io = { stdin: input, stdout: new PassThrough(), stderr: new PassThrough() };
    const printed = new Printed(io);
    const ended = runLogin(options, configured(overrides), {
      store,
      clock,
      budgetsOf,
      providedToken: async () => undefined,
      lock: (_, work) => work(),
      send,
      openBrowser: () => Promise.reject(new Error('There is no browser.')),
      signal: stop.signal,
      ...parts,
      io,
    });
    ended.catch(() => {});
    return { ended, printed };
  };

  return { service, store, stop, login, budgetsOf, send };
}

/** The output of a command so far. */
export class Printed {
  stdout = '';
  stderr = '';
  readonly #news = new EventEmitter();

  constructor(streams: { readonly stdout: Readable; readonly stderr: Readable }) {
    for (const name of ['stdout', 'stderr'] as const)
      streams[name].setEncoding('utf8').on('data', (text: string) => {
        this[name] += text;
        this.#news.emit('text');
      });
  }

  /** Resolves when `text` has been printed. */
  async until(text: string, stream: 'stdout' | 'stderr' = 'stderr'): Promise<void> {
    while (!this[stream].includes(text)) await once(this.#news, 'text');
  }
}

/** A list of budgets with these names, of which the first begins first. */
export const listOf = (...names: readonly string[]): BudgetList => ({
  budgets: names.map((name, index) => ({ id: `b${index}`, name, first_month: `2025-0${index + 1}-01` })),
  default_budget: null,
});

export const personal = (baseUrl: string, accessToken = 'earlier'): SignIn => ({
  kind: 'personal',
  id: 'earlier',
  baseUrl,
  accessToken,
});

/** The code for the start page. */
export const codeIn = (stderr: string) => /\b[A-Z]{4}-[A-Z]{4}\b/.exec(stderr)?.[0] ?? '';

/** The address to which the start page sends a person who types the right code. */
export async function authorizationUrlOf(stderr: string): Promise<URL> {
  const start = new URL(/http:\S+/.exec(stderr)?.[0] ?? '');
  const response = await fetch(start, {
    method: 'POST',
    headers: { origin: start.origin },
    body: new URLSearchParams({ code: codeIn(stderr) }),
  });
  const [, href = ''] = /<a href="([^"]+)"/.exec(await response.text()) ?? [];
  return new URL(href.replaceAll('&amp;', '&'));
}
