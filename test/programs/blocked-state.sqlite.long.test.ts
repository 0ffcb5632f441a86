/** Programs whose state is blocked by a process that is suspended in the middle of a write. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Host } from '../hosts.helper.ts';
import { sqlite } from '../store/sqlite.helper.ts';
import { listed } from './marked-writes.helper.ts';
import { startSharing, stateOf } from './sharing-programs.helper.ts';
import { databasesOf } from './state-files.helper.ts';

const WRITER = fileURLToPath(new URL('../store/write-slowly.helper.ts', import.meta.url));

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
  const countJournal = async (host: Host) => listed(await clock.passing(host.call('list_writes'))).length;
  /** What was written that is not settled. */
  const unsettled = async (host: Host) => (await clock.passing(host.call('get_status'))).structured['writes'];
  return { ...sharing, block, countJournal, unsettled };
}

const REFUSED = /^This call changed nothing\./;

describe.skipIf(!sqlite)('while a suspended process blocks the state', () => {
  test('programs refuse to write and send nothing, and write as before when it goes on', async () => {
    const { start, block, log, enter, logged, countJournal, unsettled, clock } = await startBlocking();
    const [one, other] = [await start(), await start()];
    await enter(one, 'before');
    const goOn = await block();
    for (const host of [one, other]) {
      const { isError, text } = await log(host, 'refused');
      expect(isError, text).toBe(true);
      expect(text).toMatch(REFUSED);
      expect((await clock.passing(host.call('list_writes'))).isError).toBe(false);
    }
    await goOn();
    expect(logged('refused')).toBe(0);
    for (const [memo, host] of [
      ['first', one],
      ['second', other],
    ] as const)
      await enter(host, memo);
    for (const memo of ['before', 'first', 'second']) expect(logged(memo)).toBe(1);
    const late = await start();
    for (const host of [one, other, late]) {
      expect(await stateOf(host)).toEqual({ shared: true });
      expect(await countJournal(host)).toBe(3);
      expect(await unsettled(host)).toEqual([]);
    }
  });

  test('a write that was being sent is not written again by an equal call', async () => {
    const { start, block, log, logged, countJournal, unsettled, hooks, clock } = await startBlocking();
    const [one, other] = [await start(), await start()];
    let goOn = async () => {};
    hooks.pass = async ({ method, deliver }) => {
      if (method !== 'GET') goOn = await block();
      return deliver();
    };
    await log(one, 'under way');
    hooks.pass = ({ deliver }) => deliver();
    expect(logged('under way')).toBe(1);
    const equal = await log(other, 'under way');
    expect([equal.isError, equal.text]).toEqual([
      true,
      expect.stringMatching(/not known whether it was written/),
    ]);
    await goOn();
    await clock.passing(clock.service.sleep(60_000), 100);
    expect(logged('under way')).toBe(1);
    for (const host of [one, other]) {
      expect(await countJournal(host)).toBe(1);
      // The equal call got no outcome, so that it may be reported once more, as written.
      expect(JSON.stringify(await unsettled(host))).not.toMatch(/not_written|unknown|looked_for/);
    }
  });
});
