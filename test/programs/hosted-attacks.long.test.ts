/** What one person with access can make a hosted server work at: another person's cheapest call waits for a moment only. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { createTransactions } from '../../src/service/writes/create-transactions.ts';
import { HostedProgram, type SignedIn } from './hosted-program.helper.ts';

/** By a machine that does nothing else, with room for noise. The faults that this is about took 10 seconds and more. */
const MAX_WAIT_MS = 1_500;
const views = {
  extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
};
/** Computes for 50 ms of processor time, and answers how many times as long that has taken. */
const PLAIN = `require('node:http').createServer((_, answer) => {
  const [begun, cpu] = [performance.now(), process.cpuUsage()];
  let used = 0;
  while (used < 50) {
    const { user, system } = process.cpuUsage(cpu);
    used = (user + system) / 1_000;
  }
  answer.end(String((performance.now() - begun) / used));
}).listen(0, '127.0.0.1', function () { console.log(this.address().port); })`;

let hosted: HostedProgram;
let attacker: SignedIn;
let other: SignedIn;
const plain = spawn(process.execPath, ['-e', PLAIN]);
let plainUrl = '';

beforeAll(async () => {
  const [port] = await once(plain.stdout, 'data');
  plainUrl = `http://127.0.0.1:${Number(String(port))}`;
  hosted = await HostedProgram.start();
  [attacker, other] = [await hosted.signIn(hosted.person(0)), await hosted.signIn(hosted.person(1))];
  const [ledger] = hosted.person(0).user.ledgers;
  const account_id =
    [...(ledger?.state.accounts.values() ?? [])].find(({ name }) => name === 'Checking')?.id ?? '';
  const equal = { account_id, date: ledger?.state.today ?? '', amount: -5_000, payee_name: 'Shop' };
  for (let round = 0; round < 10; round += 1)
    ledger?.commit((state) => createTransactions(state, Array(1_000).fill(equal)));
  for (const each of [attacker, other]) await (await each.call('list_accounts')).text();
});
afterAll(async () => {
  plain.kill();
  await hosted.close();
});

const textOf = async (answer: Promise<Response>) => (await answer).text();

/** The longest that another person waits while `attack` runs, and how many times as long as usual a plain loop takes meanwhile. */
async function waitsDuring(attack: Promise<unknown>) {
  let isOver = false;
  const over = attack.finally(() => {
    isOver = true;
  });
  const waits: number[] = [];
  const slowness: number[] = [];
  const repeat = async (work: () => Promise<unknown>) => {
    do {
      await work();
      // A person may send 600 requests a minute.
      await systemClock.sleep(100);
    } while (!isOver);
  };
  const call = async () => {
    const begun = systemClock.monotonic();
    // A server that was busy for long may ask to try again.
    expect([200, 503]).toContain((await other.call('list_accounts')).status);
    waits.push(systemClock.monotonic() - begun);
  };
  const compute = async () => slowness.push(Number(await textOf(fetch(plainUrl))));
  await Promise.all([over, repeat(call), repeat(compute)]);
  const mean = slowness.reduce((sum, each) => sum + each, 0) / slowness.length;
  return { wait: Math.max(...waits), slowness: Math.max(mean, 1) };
}

const PIECE = 7_500;
const PART = 60 * PIECE;

/** Sends a file in parts, as the view does. Returns the last answer. */
async function choose(name: string, content: Buffer): Promise<string> {
  let upload: string | undefined;
  let text = '';
  for (let at = 0; at < content.length; at += PART) {
    const part = content.subarray(at, at + PART);
    const pieces = Array.from({ length: Math.ceil(part.length / PIECE) }, (_, nth) =>
      part.subarray(nth * PIECE, (nth + 1) * PIECE).toString('base64'),
    );
    const args = { name, size: content.length, at, upload, content: pieces };
    text = await textOf(attacker.call('upload_statement', args, { capabilities: views }));
    expect(text).not.toContain('A part of the file is missing');
    upload ??= /"upload":"([^"]*)"/.exec(text)?.[1];
  }
  return text;
}

const csv = (rows: number, width = 0) =>
  Buffer.from(`Date,Payee,Amount\n${`2026-11-20,Shop${'x'.repeat(width)},-5.00\n`.repeat(rows)}`);
const ask = (name: string, args: object = {}) => textOf(attacker.call(name, args, { capabilities: views }));

test.each<[string, () => Promise<unknown>]>([
  [
    'a QIF file whose date has 128 KB of spaces',
    () => choose('spaces.qif', Buffer.from(`!Type:Bank\nD${' '.repeat(128 * 1_024)}x\nT-5.00\n^\n`)),
  ],
  [
    'files of 4 MB with long names of elements around many others, and without lines in a code page',
    async () => {
      const names = `${'<aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa>'.repeat(9)}<Ntry>${'<Nm>x'.repeat(830_000)}`;
      await choose('names.xml', Buffer.from(`<?xml version="1.0"?><Document><BkToCstmrStmt>${names}`));
      await choose('letters.csv', Buffer.alloc(4_150_000, 'é', 'latin1'));
    },
  ],
  [
    '9,900 equal rows against 10,000 equal amounts',
    async () => {
      expect(await choose('equal.csv', csv(9_900))).toContain('9900 rows');
      const answer = await ask('reconcile_account', { account: 'Checking', statement: 'equal.csv' });
      expect(answer).toContain('The list has 9900 rows');
    },
  ],
  [
    'a review of 10,000 equal transactions',
    () => Promise.all([1, 2, 3].map(() => ask('review_transactions'))),
  ],
  [
    '30 account pages with 20 sign-ins',
    async () => {
      while ((await hosted.account(hosted.person(0))).grants.length < 20)
        await hosted.signIn(hosted.person(0));
      const account = await hosted.account(hosted.person(0));
      await Promise.all(Array.from({ length: 30 }, () => account.browser.open(account.view.url)));
    },
  ],
  [
    'many chosen files that are listed again and again',
    async () => {
      for (const name of ['a', 'b', 'c']) await choose(`${name}.csv`, csv(9_900, 380));
      await Promise.all(Array.from({ length: 20 }, () => ask('list_statements')));
    },
  ],
  [
    '20 watches of 10,000 equal transactions',
    () =>
      Promise.all(
        Array.from({ length: 20 }, (_, nth) =>
          textOf(
            attacker.request('events/poll', { name: 'large_transaction', arguments: { amount: nth + 1 } }),
          ),
        ),
      ),
  ],
])('another person waits for a moment only during %s', async (name, attack) => {
  const { wait, slowness } = await waitsDuring(attack());
  process.stdout.write(
    `${name}: ${Math.round(wait)} ms, where a loop takes ${slowness.toFixed(1)} times as long\n`,
  );
  expect(wait / slowness).toBeLessThan(MAX_WAIT_MS);
});
