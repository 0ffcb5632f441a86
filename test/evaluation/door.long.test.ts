import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { taskIds, taskNamed } from './tasks.ts';

const PROGRAM = join(import.meta.dirname, '../../node_modules/.cache/evaluation/evaluate.mjs');

/** Runs `evaluate door …` in another folder, and returns its output. */
async function door(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, 'door', ...args], {
    cwd: await temporaryDirectory(),
    maxBuffer: 1e7,
  });
  return stdout.trimEnd();
}

describe('the door', () => {
  it('holds a conversation in a terminal and records it, without a word about the verdict', async () => {
    const out = join(await temporaryDirectory(), 'new', 'recording.json');
    const id = taskIds().find((each) => each.startsWith('figure-01-')) ?? '';
    const number = taskIds().findIndex((_, index) => taskNamed(String(index + 1)) === id) + 1;

    const greeting = await door('start', String(number), '--out', out);
    expect(greeting).not.toContain('figure');
    expect(greeting).toContain('Today is Wednesday, 2026-11-18.');
    const [, conversation = ''] = /^Conversation: (\w+)/.exec(greeting) ?? [];
    const tools = await door('tools', conversation);
    expect(greeting).toContain(tools);
    expect(tools.split('\n')).toContain(await door('tool', conversation, 'get_status'));
    expect(await door('tool', conversation, 'nonsense')).toBe('There is no tool nonsense.');
    expect(await door('call', conversation, 'list_accounts')).toContain('"Checking"');
    expect(await door('call', conversation, 'get_account', '{"account_id":"Nowhere"}')).toMatch(/^Error: /);
    expect(await door('call', conversation, 'get_account', 'Wallet')).toBe(
      'The arguments have to be a JSON object.',
    );

    expect(await door('answer', conversation, '-1 or so.\nResult: 0.01')).toBe('The conversation has ended.');
    expect(await door('tools', conversation)).toBe('The conversation has ended.');
    expect(JSON.parse(readFileSync(out, 'utf8'))).toMatchObject({
      task: id,
      arm: 'all',
      turns: [
        {
          calls: [
            { tool: 'list_accounts', arguments: {}, isError: false },
            { tool: 'get_account', arguments: { account_id: 'Nowhere' }, isError: true },
          ],
          answer: '-1 or so.\nResult: 0.01',
        },
      ],
      verdict: { isConfidentlyWrong: true },
    });
  });

  it('says why a conversation cannot begin', async () => {
    await expect(door('start', 'no-such-task')).rejects.toThrow('There is no task no-such-task.');
    await expect(door('start', '1', '--arm', 'none')).rejects.toThrow('Invalid option');
    await expect(door('knock')).rejects.toThrow('Usage:');
  });
});
