/** Programs whose state is blocked by a process that is suspended in the middle of a write. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Host } from '../hosts.helper.ts';
import { sqlite } from '../state/sqlite.helper.ts';
import { listed } from './marked-writes.helper.ts';
import { pidOf, startSharing, stateOf } from './sharing-programs.helper.ts';
import { databasesOf } from './state-files.helper.ts';

const WRITER = fileURLToPath(new URL('../state/write-slowly.helper.ts', import.meta.url));

const WAITING = { timeout: 20_000, interval: 50 };

async function startBlocking() {
  const sharing = await startSharing();
  const { clock, directory } = sharing;
  /** Suspends a process in the middle of a write. Returns a function that lets it go on and end. */
  const block = async () => {
    const [database = expect.unreachable()] = databasesOf(directory);
    const writer = spawn(process.execPath, ['--import', 'tsx', WRITER, database], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => {
      writer.kill('SIGKILL');
    });
    await once(writer.stdout, 'data');
    writer.kill('SIGSTOP');
    return async () => {
      writer.kill('SIGCONT');
      writer.stdin.end();
      await once(writer, 'exit');
    };
  };
  const shares = (host: Host) =>
    clock.passing(vi.waitFor(async () => expect(await stateOf(host)).toEqual({ shared: true }), WAITING));
  const countJournal = async (host: Host) => listed(await clock.passing(host.call('list_writes'))).length;
  return { ...sharing, block, shares, countJournal };
}

describe.skipIf(!sqlite)('while a suspended process blocks the state', () => {
  test('programs write as before, and share everything again when it goes on', async () => {
    const { start, block, enter, logged, shares, countJournal } = await startBlocking();
    const [one, other] = [await start(), await start()];
    const goOn = await block();
    const written = ['one 1', 'other 1', 'one 2', 'other 2', 'one 3'];
    for (const memo of written) await enter(memo.startsWith('one') ? one : other, memo);
    for (const host of [one, other])
      expect(await stateOf(host)).toMatchObject({
        shared: false,
        reason: expect.stringMatching(/suspended/),
      });
    await goOn();
    for (const host of [one, other]) await shares(host);
    const late = await start();
    for (const host of [one, other, late]) expect(await countJournal(host)).toBe(written.length);
    for (const memo of written) expect(logged(memo)).toBe(1);
    const statuses = [];
    for (const host of [one, other, late])
      statuses.push((await host.call('get_status')).structured['writes']);
    expect(statuses).toEqual([[], [], []]);
  });

  test('a program that is killed when it enters what has waited has lost and doubled no write', async () => {
    const { start, block, enter, logged, log, shares, countJournal, clock } = await startBlocking();
    const [one, other] = [await start(), await start()];
    await enter(one, 'before');
    const goOn = await block();
    const written = Array.from({ length: 6 }, (_, index) => `meanwhile ${index}`);
    for (const memo of written) await enter(one, memo);
    await enter(other, 'of the other');
    const free = goOn();
    await setTimeout(100);
    process.kill(pidOf(one), 'SIGKILL');
    await free;
    const next = await start();
    await clock.passing(clock.service.sleep(60_000), 100);
    await shares(next);
    expect(await countJournal(next)).toBeGreaterThanOrEqual(2);
    // What it had not removed yet may be reported once more, as written.
    expect(JSON.stringify((await next.call('get_status')).structured['writes'])).not.toMatch(
      /not_written|unknown/,
    );
    for (const memo of [...written, 'before', 'of the other']) expect(logged(memo)).toBe(1);
    await log(next, 'afterwards');
    expect(logged('afterwards')).toBe(1);
  }, 120_000);
});
