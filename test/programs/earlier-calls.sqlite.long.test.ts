/** Equal calls that fail while the outcome of the first one is not known, in this program, in another one and in the next one. */
import { rmSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectLegacy, type Host } from '../hosts.helper.ts';
import { sqlite } from '../store/sqlite.helper.ts';
import { pidOf, startSharing, stateOf } from './sharing-programs.helper.ts';

const ELEVEN_MINUTES = 660_000;
const never = () => new Promise<never>(() => {});

/** Two programs whose state is old enough to know every call. The first one gets no answer to its entry, which is made. */
async function startWithUnknown() {
  const sharing = await startSharing();
  const { clock, hooks, start, enter, log, works } = sharing;
  const [one, other] = [await start(), await start()];
  await enter(one, 'long ago');
  clock.advance(ELEVEN_MINUTES);
  await works(one);
  await works(other);
  hooks.pass = async ({ method, deliver }) => {
    await deliver();
    if (method === 'POST') await never();
  };
  const { text } = await log(one, 'lunch');
  expect(text).toMatch(/it is not known whether it was written/i);
  // What is cached is too old for a name, so that the next call has to read first.
  clock.advance(120_000);
  const startNext = async () => {
    const { args, env } = sharing;
    const host = await connectLegacy({ args, env });
    onTestFinished(() => host.close());
    return host;
  };
  const fail = async (host: Host) => {
    const { isError, text } = await log(host, 'lunch');
    expect(isError, text).toBe(true);
    return text;
  };
  return { ...sharing, one, other, startNext, fail };
}

const CLAIM = /nothing was written|safe to try|change was not made/i;

const expectNotKnown = (text: string) => {
  expect(text).toContain('not known');
  expect(text).not.toMatch(CLAIM);
};

describe.skipIf(!sqlite)('an equal call that fails while the outcome of the first one is not known', () => {
  test('says so after the token was revoked: in the same program, in another one, and in the next one after a kill', async () => {
    const { service, one, other, startNext, fail, logged } = await startWithUnknown();
    service.access.revokeToken(service.accessToken);
    for (const host of [one, other]) {
      const text = await fail(host);
      expectNotKnown(text);
      expect(text).toMatch(
        /a new one is needed\.\nEarlier calls .*\nWrite: create_transactions of .*not known/,
      );
    }
    process.kill(pidOf(one), 'SIGKILL');
    expectNotKnown(await fail(await startNext()));
    expect(logged('lunch')).toBe(1);
  });

  test('says so while the service is away', async () => {
    const { hooks, one, other, fail } = await startWithUnknown();
    hooks.pass = async () => {};
    for (const host of [one, other]) expectNotKnown(await fail(host));
  });

  test('speaks of its own call only when the state was removed, also in a program that is started then', async () => {
    const { directory, hooks, other, startNext, fail } = await startWithUnknown();
    rmSync(directory, { recursive: true });
    hooks.pass = async () => {};
    const expectOwn = (text: string) => {
      expect(text).toMatch(/^This call changed nothing\. /);
      expect(text).not.toMatch(CLAIM);
    };
    expectOwn(await fail(other));
    expect(await stateOf(other)).toMatchObject({ shared: false });
    expectOwn(await fail(await startNext()));
  });
});

describe.skipIf(!sqlite)('an equal call that is carried out', () => {
  test('says that it may be a second one after the state of the first one was lost, without a request for that', async () => {
    const { directory, hooks, one, start, log, logged } = await startWithUnknown();
    process.kill(pidOf(one), 'SIGKILL');
    rmSync(directory, { recursive: true });
    const paths: string[] = [];
    hooks.pass = ({ method, path, deliver }) => {
      paths.push(`${method} ${path.includes('last_knowledge') ? 'delta' : 'whole'}`);
      return deliver();
    };
    const next = await start();
    paths.length = 0;
    const { isError, text, structured } = await log(next, 'lunch');
    expect([isError, logged('lunch')]).toEqual([false, 2]);
    expect(text).toMatch(/This may be a second one: .* take this one back with undo/);
    expect(structured['possible_duplicates']).not.toEqual([]);
    // A write that begins a second after the budget was read reads the changes first too.
    expect(paths.filter((path) => path !== 'GET delta')).toEqual(['POST whole']);
    const third = await log(next, 'lunch');
    expect(third.structured, 'all equal entries were named before').not.toHaveProperty('possible_duplicates');
  });
});
