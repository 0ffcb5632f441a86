/** Texts of the service in error messages: on one line, without invisible characters, and cut if they are long. */

import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fixedTokenProvider } from '../../src/auth/token-provider.ts';
import { BudgetError } from '../../src/base/errors.ts';
import { ChartOfAccounts } from '../../src/model/bookkeeping/entries.ts';
import { newEntryProblems } from '../../src/model/bookkeeping/refusals.ts';
import { listAccounts } from '../../src/operations/accounts.ts';
import { getUser } from '../../src/operations/budgets.ts';
import { BudgetClient } from '../../src/session/budget-client.ts';
import { decodeResponse } from '../../src/session/http/codec.ts';
import { HttpSender } from '../../src/session/http/http-sender.ts';
import { callOperation } from '../call-operation.helper.ts';
import { fuzzRuns } from '../fuzz.helper.ts';
import { forbidden, hostileText } from '../hostile-texts.helper.ts';
import { sendJson, serveHttp } from '../local-server.helper.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { failureOf } from './sending.helper.ts';

const NAME = 'My\nbudget\u2028\u0085\u009b\u202e\u{e0101}';
const QUOTED = String.raw`"My\nbudget\u2028\u0085\u009b\u202e\udb40\udd01"`;

async function clientOf(...names: readonly string[]) {
  const budgets = names.map((name, at) => ({ id: `b-${at}\u2028`, name }));
  const server = await serveHttp((_, response) => sendJson(response, { data: { budgets } }));
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const sender = new HttpSender({ clock });
  onTestFinished(() => sender.close());
  const tokens = fixedTokenProvider({ baseUrl: server.url, token: 'token-of-the-user' });
  return new BudgetClient({ tokens, sender, clock });
}

describe('the names of budgets', () => {
  test('the names of budgets are quoted if no budget has the requested name', async () => {
    const client = await clientOf(NAME);
    const { message } = await failureOf(callOperation(client, listAccounts, { budget_id: 'Other\u202e' }));
    expect(message).toBe(
      String.raw`There is no budget "Other\u202e". There are: ${QUOTED} ("b-0\u2028"). Use one of them, by id or name.`,
    );
  });

  test('the names of budgets are quoted if several budgets have the requested name', async () => {
    const client = await clientOf(NAME, NAME);
    const { message } = await failureOf(callOperation(client, listAccounts, { budget_id: NAME }));
    expect(message).toBe(
      String.raw`2 budgets are called ${QUOTED}. There are: ${QUOTED} ("b-0\u2028"), ${QUOTED} ("b-1\u2028").`,
    );
  });
});

test('the name of a closed account is quoted', () => {
  const account = { id: 'a-1', name: NAME, closed: true, on_budget: true, transfer_payee_id: null };
  const none: ReadonlySet<string> = new Set();
  const chart = new ChartOfAccounts(
    [account],
    { all: none, internal: none, payment: none, uncategorized: none },
    none,
  );
  const entry = { account_id: 'a-1', date: '2026-11-21', amount: -1 };
  expect([...newEntryProblems({ chart, today: '2026-11-21' }, entry)]).toEqual([
    `account_id: the account ${QUOTED} is closed`,
  ]);
});

test('the message of every error of the service has one line and a limited length', () => {
  const text = fc.oneof(
    hostileText,
    hostileText.map((each) => `${each}${'x'.repeat(5_000)}`),
  );
  const error = fc.record({ id: text, name: text, detail: text });
  fc.assert(
    fc.property(error, text, fc.integer({ min: 200, max: 599 }), (error, type, status) => {
      for (const body of [JSON.stringify({ error }), '<html>']) {
        const response = { status, headers: { 'content-type': type }, body };
        const { message } = errorOf(() => decodeResponse(getUser, response));
        expect(message).not.toMatch(forbidden);
        expect(message).not.toContain('\n');
        expect(message.length).toBeLessThan(3_000);
      }
    }),
    { numRuns: fuzzRuns(200) },
  );
});

function errorOf(act: () => unknown): BudgetError {
  try {
    act();
  } catch (error) {
    if (error instanceof BudgetError) return error;
    throw error;
  }
  throw new Error('It succeeded.');
}
