import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { startService } from '../../src/service/server.ts';
import { signInFiles } from './sign-in-files.helper.ts';
import { codeSignIn } from './signed-in.helper.ts';
import { temporaryDirectory } from './temporary-directory.helper.ts';

const program = fileURLToPath(new URL('refresh-process.helper.ts', import.meta.url));

/** What the process has printed, and the signal that killed it. */
async function run(what: object): Promise<{ stdout: string; signal: string | null }> {
  const child = execFile(process.execPath, ['--import', 'tsx', program, JSON.stringify(what)]);
  let stdout = '';
  child.stdout?.on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.pipe(process.stderr);
  const [, signal] = await once(child, 'close');
  return { stdout, signal: String(signal) };
}

const STEPS = ['read', 'locked', 'refreshed', 'stored', 'released', 'used'];

test('a process that is killed at any step of a refresh leaves a pair that works, and so does the next one', async () => {
  const service = await startService({ clock: systemClock, transactions: 0 });
  onTestFinished(() => service.close());
  const directory = await temporaryDirectory();
  const store = signInFiles(`${directory}/sign-ins`);
  const kill = async (dieAt: string) => {
    const profile = dieAt;
    const signIn = { ...codeSignIn(service, systemClock), expiresAt: systemClock.now() };
    await store.write(profile, signIn);
    const killed = await run({ directory, profile, dieAt });
    const next = await run({ directory, profile });
    // The sign-in that it has stored can be refreshed again.
    const stored = await store.read(profile);
    if (stored?.kind !== 'authorization_code') throw new Error('The sign-in was removed.');
    await store.write(profile, { ...stored, expiresAt: systemClock.now() });
    return [killed, next, await run({ directory, profile })];
  };
  const outcomes = await Promise.all(STEPS.map(kill));
  const accepted = { stdout: 'accepted', signal: 'null' };
  for (const [i, outcome] of outcomes.entries())
    expect(outcome, STEPS[i]).toEqual([{ stdout: '', signal: 'SIGKILL' }, accepted, accepted]);
  expect(service.oauth.authorizations.refreshReuses.refused).toBe(0);
});
