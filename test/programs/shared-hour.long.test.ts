import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { connectModern, type Host } from '../hosts.helper.ts';
import { Household } from '../household.helper.ts';
import { startHttpProgram } from '../http-program.helper.ts';

const [GREEDY, OTHER] = ['a-token-of-a-caller-that-asks-much-1', 'a-token-of-a-caller-that-waits-0002'];

/** Two callers of one server. The second one has not asked for anything. */
async function startTwoCallers(): Promise<{ greedy: Host; other: Host }> {
  const home = await Household.start({ rateLimit: 200 });
  const path = join(await temporaryDirectory(), 'tokens');
  await writeFile(path, `${GREEDY}\n${OTHER}\n`, { mode: 0o600 });
  const program = await startHttpProgram(['--http-token-file', path], home.env());
  const [greedy, other] = [
    await connectModern({ http: { url: program.url, token: GREEDY } }),
    await connectModern({ http: { url: program.url, token: OTHER } }),
  ];
  onTestFinished(async () => {
    await greedy.close();
    await other.close();
    await program.stop();
    await home.close();
  });
  return { greedy, other };
}

/** How many calls were refused for want of requests. */
async function refusedOf(calls: number, host: Host, tool: string, args: () => object = () => ({})) {
  let refused = 0;
  for (let sent = 0; sent < calls; sent += 1)
    if (/next request .*is free/.test((await host.call(tool, { ...args() })).text)) refused += 1;
  return refused;
}

test('a caller that asks for 230 invented ids uses up neither its own hour nor that of a caller that asks later', async () => {
  const { greedy, other } = await startTwoCallers();
  const invented = () => ({ transaction_id: randomUUID() });
  expect(await refusedOf(230, greedy, 'get_transaction', invented)).toBe(0);
  expect(await refusedOf(40, other, 'refresh_budget')).toBe(0);
  expect(await refusedOf(40, greedy, 'refresh_budget')).toBe(0);
});

test('a caller that has not asked before gets its share after another one has used up its own', async () => {
  const { greedy, other } = await startTwoCallers();
  expect(await refusedOf(230, greedy, 'refresh_budget')).toBeGreaterThan(90);
  expect(await refusedOf(40, other, 'refresh_budget')).toBe(0);
});
