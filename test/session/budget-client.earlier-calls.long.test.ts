/** What another process knows of a write whose process is killed, at every point of it and at many times after. */
import { expect, test } from 'vitest';
import { createTransactions } from '../../src/operations/transaction-writes.ts';
import { SharedMemory } from '../../src/store/memory-store.ts';
import { type Fault, NO_FAULT, UNANSWERED } from '../faulty-proxy.helper.ts';
import { startSharing } from './sharing-processes.helper.ts';

const ELEVEN_MINUTES = 660_000;
/** After a kill, in milliseconds from one look to the next. */
const LOOKS = [50, 1_000, 9_000, 5_000, 10_000, 35_000, 120_000];

/** The claims that no earlier call is open, although an undelivered one was carried out. Undefined if the write ended before. */
async function falseClaims(killAt: number, fault: Fault, leaseMs: number): Promise<string[] | undefined> {
  const { startProcess, passing, pass, faults, coffees } = await startSharing();
  const memory = new SharedMemory();
  const one = startProcess(memory, { leaseMs });
  const { client } = startProcess(memory);
  await one.log(-1_000);
  await passing(client.status());
  await pass(ELEVEN_MINUTES);
  faults.writes = [fault];
  const before = one.life.events.length;
  one.life.killAt = before + killAt;
  one.start(-2_000).catch(() => {});
  const claims: string[] = [];
  for (const milliseconds of LOOKS) {
    await pass(milliseconds);
    if (!one.life.isOver) return undefined;
    const open = await passing(client.earlierCalls(createTransactions.name));
    if (open.length === 0 && coffees(-2_000).length > 0)
      claims.push(`${milliseconds} ms later, killed ${one.life.events.at(-1)}`);
  }
  return claims;
}

test.each([
  ['answered', NO_FAULT, 0],
  ['answered', NO_FAULT, 8_000],
  ['not answered', UNANSWERED, 8_000],
])('it never takes one that was carried out for none: %s', async (_, fault, leaseMs) => {
  const all: string[] = [];
  let killAt = 1;
  for (; ; killAt += 1) {
    const claims = await falseClaims(killAt, fault, leaseMs);
    if (!claims) break;
    all.push(...claims);
  }
  expect(all).toEqual([]);
  expect(killAt).toBeGreaterThan(15);
});
