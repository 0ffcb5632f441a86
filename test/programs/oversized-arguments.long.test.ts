/** Oversized arguments of one caller, sent to the program that serves several callers by HTTP. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectLegacy, type Host } from '../hosts.helper.ts';
import { type HttpProgram, startHttpProgram } from '../http-program.helper.ts';

let program: HttpProgram;
let host: Host;
beforeAll(async () => {
  program = await startHttpProgram();
  host = await connectLegacy({ http: program });
});
afterAll(async () => {
  await host.close();
  expect(await program.stop()).toBe(0);
});

test('a list of 200,000 wrong elements gets a short answer', async () => {
  const { text, isError } = await host.call('assign_money', { categories: Array(200_000).fill('a') });
  expect(isError).toBe(true);
  expect(text).toContain('Too much at once');
  expect(text.length).toBeLessThan(1_000);
});

test('a URI with 100,000 keys gets a short answer', async () => {
  const keys = Array.from({ length: 100_000 }, (_, at) => `k${at}=1`).join('&');
  const error = await host.read(`budget://v1/budgets?${keys}`).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: -32602 });
  expect(String(error)).toMatch(/A URI may have at most 8000 characters/);
  expect(String(error).length).toBeLessThan(1_000);
});

test('an id of a million characters gets a short answer', async () => {
  const { text, isError } = await host.call('get_account', { account_id: 'x'.repeat(1_000_000) });
  expect(isError).toBe(true);
  expect(text.length).toBeLessThan(1_000);
});
