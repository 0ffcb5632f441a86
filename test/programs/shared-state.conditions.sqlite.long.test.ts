/** Whatever happens to the files, the disk and the clock, the servers work, and get_status says what is so. */
import {
  closeSync,
  cpSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { type Host, program } from '../hosts.helper.ts';
import { canMount, fillDisk, ownMounts } from '../own-disk.helper.ts';
import { sqlite } from '../store/sqlite.helper.ts';
import { listed } from './marked-writes.helper.ts';
import { pidOf, startSharing, stateOf } from './sharing-programs.helper.ts';
import { databasesOf, filesOf, integrityOf } from './state-files.helper.ts';

const dist = join(program, '..');

/** A program of another version, whose state has another format. */
async function programOfOtherFormat(): Promise<string> {
  const directory = await temporaryDirectory();
  cpSync(dist, directory, { recursive: true });
  let replaced = 0;
  for (const path of filesOf(directory).filter((file) => file.endsWith('.js'))) {
    const text = readFileSync(path, 'utf8');
    const other = text.replace(/\bFORMAT\s*=\s*1\b/, 'FORMAT=2');
    if (other === text) continue;
    writeFileSync(path, other);
    replaced += 1;
  }
  expect(replaced).toBeGreaterThan(0);
  return join(directory, 'main.js');
}

/** The program has a disk of its own at the place of the directory. */
const onOwnDisk = (directory: string, options: string, prepare = 'true') =>
  [
    'unshare',
    ...ownMounts,
    'sh',
    '-c',
    `mount -t tmpfs -o ${options},mode=700 tmpfs "$0" && ${prepare} && exec "$@"`,
    directory,
    process.execPath,
    program,
  ] as const;

const damage = (path: string) => writeFileSync(path, Buffer.alloc(20_000, 'garbage '));

describe.skipIf(!sqlite)('two versions of the program', () => {
  test('with different formats have a state each, and both work', async () => {
    const { start, directory, enter, logged } = await startSharing();
    const one = await start();
    const other = await start([process.execPath, await programOfOtherFormat()]);
    const again = await start();
    for (const [index, host] of [one, other, again].entries()) {
      expect(await stateOf(host)).toEqual({ shared: true });
      await enter(host, `of ${index}`);
      expect(logged(`of ${index}`)).toBe(1);
    }
    expect(databasesOf(directory).map((path) => basename(path).slice(32))).toEqual(['.v1.db', '.v2.db']);
    expect(integrityOf(directory)).toEqual(['ok', 'ok']);
    expect([listed(await one.call('list_writes')), listed(await other.call('list_writes'))]).toMatchObject([
      { length: 2 },
      { length: 1 },
    ]);
  });

  test('a file with other tables under the same name is set aside', async () => {
    const { start, directory, enter } = await startSharing();
    const first = await start();
    await first.close();
    const [path = expect.unreachable()] = databasesOf(directory);
    const database = sqlite?.(path);
    database?.exec('DROP TABLE records; CREATE TABLE records (key TEXT, content TEXT, format INTEGER)');
    database?.close();
    const next = await start();
    expect(await stateOf(next)).toEqual({ shared: true });
    await enter(next, 'after it');
    expect(filesOf(directory).map((file) => basename(file).slice(32))).toContain('.v1.db.unusable');
  });

  test('a table that a newer version has added does no harm', async () => {
    const { start, directory, log, enter } = await startSharing();
    const first = await start();
    await log(first, 'before it');
    const [path = expect.unreachable()] = databasesOf(directory);
    const database = sqlite?.(path);
    database?.exec('CREATE TABLE later (a); INSERT INTO later VALUES (1)');
    database?.close();
    const next = await start();
    await enter(next, 'after it');
    expect([await stateOf(first), await stateOf(next)]).toEqual([{ shared: true }, { shared: true }]);
    expect(listed(await next.call('list_writes'))).toHaveLength(2);
  });
});

describe.skipIf(!sqlite)('a disk', () => {
  /** Calls that read, write and list, of which none may fail because of the disk. */
  async function expectWorking(
    { enter, logged, works }: Awaited<ReturnType<typeof startSharing>>,
    host: Host,
  ) {
    for (const memo of ['a', 'b', 'c']) {
      await enter(host, memo);
      expect(logged(memo)).toBe(1);
    }
    await works(host);
    expect((await host.call('check_month')).isError).toBe(false);
    expect((await host.call('list_writes')).isError).toBe(false);
  }

  test.skipIf(process.platform === 'win32')('that takes no larger file', async () => {
    const sharing = await startSharing();
    // In blocks of 512 bytes or of 1 KiB: less than the budget needs.
    const limit = 'ulimit -f 64; exec "$0" "$@"';
    const host = await sharing.start(['sh', '-c', limit, process.execPath, program]);
    await expectWorking(sharing, host);
    expect(await stateOf(host)).toEqual({
      shared: false,
      reason: 'Its file is not readable or not writable.',
    });
    const other = await sharing.start();
    expect(await stateOf(other)).toEqual({ shared: true });
    expect(integrityOf(sharing.directory)).toEqual(['ok']);
  });

  test.skipIf(!canMount)('that is full from the beginning', async () => {
    const sharing = await startSharing();
    const host = await sharing.start(onOwnDisk(sharing.directory, 'size=8k'));
    await expectWorking(sharing, host);
    expect(await stateOf(host)).toEqual({
      shared: false,
      reason: expect.stringMatching(/^Its file is (on a full disk|not readable or not writable)\.$/),
    });
  });

  test.skipIf(!canMount)('that gets full in the middle of a write', async () => {
    const sharing = await startSharing();
    const { start, enter, logged, hooks, directory, clock } = sharing;
    const host = await start(onOwnDisk(directory, 'size=8m'));
    expect(await stateOf(host)).toEqual({ shared: true });
    await enter(host, 'before it');
    hooks.pass = async ({ method, deliver }) => {
      if (method === 'POST') fillDisk(join('/proc', String(pidOf(host)), 'root', directory, 'filling'));
      await deliver();
    };
    await enter(host, 'in between');
    expect(logged('in between')).toBe(1);
    await expectWorking(sharing, host);
    expect(await stateOf(host)).toEqual({ shared: false, reason: 'Its file is on a full disk.' });
    // A delivered outcome is not kept: an equal call is a new entry.
    clock.advance(2_000);
    await enter(host, 'in between');
    expect(logged('in between')).toBe(2);
  });

  test.skipIf(!canMount)('that can only be read', async () => {
    const sharing = await startSharing();
    const readOnly = 'mount -o remount,ro "$0"';
    const host = await sharing.start(onOwnDisk(sharing.directory, 'size=8m', readOnly));
    await expectWorking(sharing, host);
    expect(await stateOf(host)).toEqual({
      shared: false,
      reason: expect.stringMatching(/EROFS|not writable/),
    });
  });
});

describe.skipIf(!sqlite)('a file of the state', () => {
  test.each([
    ['is removed', (path: string) => rmSync(path)],
    ['is removed with everything beside it', (path: string) => rmSync(join(path, '..'), { recursive: true })],
    [
      'is replaced by another one',
      (path: string) => {
        rmSync(path);
        damage(path);
      },
    ],
  ])('%s while programs run: they go on alone, and the next ones share again', async (_, harm) => {
    const { start, directory, clock, works, enter, logged } = await startSharing();
    const [one, other] = [await start(), await start()];
    const [path = expect.unreachable()] = databasesOf(directory);
    harm(path);
    clock.advance(2_000);
    for (const host of [one, other]) {
      await works(host);
      expect(await stateOf(host)).toEqual({ shared: false, reason: 'Its file is removed or replaced.' });
    }
    const [third, fourth] = [await start(), await start()];
    for (const host of [one, third, other, fourth]) {
      const memo = `of ${pidOf(host)}`;
      await enter(host, memo);
      expect(logged(memo)).toBe(1);
    }
    for (const host of [third, fourth]) {
      expect(await stateOf(host)).toEqual({ shared: true });
      expect(listed(await host.call('list_writes'))).toHaveLength(2);
    }
    expect(integrityOf(directory)).toEqual(['ok']);
  });

  test('is overwritten while programs run: every program works, and the next ones share again', async () => {
    const { start, directory, clock, works, enter, logged } = await startSharing();
    const hosts = [await start(), await start()];
    for (const path of filesOf(directory).filter((file) => /\.db(-wal)?$/.test(file))) {
      const file = openSync(path, 'r+');
      const { length } = readFileSync(path);
      writeSync(file, Buffer.alloc(length, 'garbage '), 0, length, 0);
      closeSync(file);
    }
    hosts.push(await start(), await start());
    // After the next one has replaced the file: the others look for it once a second.
    clock.advance(2_000);
    for (const host of hosts) {
      await works(host);
      await enter(host, `of ${pidOf(host)}`);
      expect(logged(`of ${pidOf(host)}`)).toBe(1);
    }
    const [first, second, ...next] = await Promise.all(hosts.map(stateOf));
    for (const state of [first, second])
      expect(state).toEqual({
        shared: false,
        reason: expect.stringMatching(/^Its file is (damaged|removed or replaced)\.$/),
      });
    expect(next).toEqual([{ shared: true }, { shared: true }]);
    expect(integrityOf(directory)).toEqual(['ok']);
  });

  test('is damaged, and two programs open it at once: both share a new one', async () => {
    const { start, directory, enter } = await startSharing();
    const first = await start();
    await first.close();
    const [path = expect.unreachable()] = databasesOf(directory);
    damage(path);
    const hosts = await Promise.all([start(), start()]);
    for (const host of hosts) await enter(host, `of ${pidOf(host)}`);
    for (const host of hosts) {
      expect(await stateOf(host)).toEqual({ shared: true });
      expect(listed(await host.call('list_writes'))).toHaveLength(2);
    }
    const names = readdirSync(directory).map((name) => name.slice(32));
    expect(names.filter((name) => name.endsWith('.unusable'))).toEqual(['.v1.db.unusable']);
    expect(integrityOf(directory)).toEqual(['ok']);
  });
});

describe.skipIf(!sqlite)('the wall clock of the machine', () => {
  test.each([5, -5, 23, -23])(
    'jumps by %i hours while programs run: nothing is old, lost or written twice',
    async (hours) => {
      const { start, clock, log, enter, logged, ledger, hooks } = await startSharing();
      const [one, other] = [await start(), await start()];
      await enter(one, 'before it');
      clock.shiftWallClock(hours * 3_600_000);
      await enter(other, 'after it');
      for (const host of [one, other]) {
        expect(await stateOf(host)).toEqual({ shared: true });
        expect(listed(await host.call('list_writes'))).toHaveLength(2);
        const { text } = await clock.passing(host.call('find_transactions', { text: 'after it' }));
        expect(text).toContain('after it');
      }
      // One is killed when its request is under way, and the clock jumps back before its successor starts.
      hooks.pass = async ({ method, deliver }) => {
        if (method === 'POST') process.kill(pidOf(one), 'SIGKILL');
        await deliver();
      };
      await log(one, 'killed').catch(() => {});
      hooks.pass = ({ deliver }) => deliver();
      clock.shiftWallClock(-2 * hours * 3_600_000);
      const next = await start();
      for (;;) {
        const { isError, text } = await log(next, 'killed');
        if (!isError) break;
        expect(text).toMatch(/get_status shows the outcome|^This call changed nothing/);
        await clock.passing(clock.service.sleep(5_000), 100);
      }
      expect(logged('killed')).toBe(1);
      expect(listed(await next.call('list_writes'))).toHaveLength(3);
      expect(ledger.transactions(undefined).filter(({ memo }) => memo === 'killed')).toHaveLength(1);
    },
  );
});
