/** Calls share the state of the servers, which needs the SQLite of a newer Node.js. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { temporaryDirectory } from '../../auth/temporary-directory.helper.ts';
import { inherited } from '../../home.helper.ts';
import { program } from '../../hosts.helper.ts';
import { Household } from '../../household.helper.ts';
import { sqlite } from '../../store/sqlite.helper.ts';

const memos = z.object({ transactions: z.array(z.object({ memo: z.string().nullable() })) });

test.skipIf(!sqlite)(
  'an outcome that was not printed is that of the next equal call, and of no later one',
  async () => {
    const home = await Household.start({ transactions: 20 });
    onTestFinished(() => home.close());
    const env = {
      ...inherited,
      ...home.env(),
      BUDGET_MCP_BUDGET: home.budgetId,
      BUDGET_MCP_STATE_DIR: await temporaryDirectory(),
    };
    const transactions = [{ account_id: 'Checking', date: 'today', amount: -4.5, memo: 'Bread' }];
    const create = async (isRead: boolean) => {
      const args = [program, 'call', 'create_transactions', JSON.stringify({ transactions })];
      const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
      if (!isRead) child.stdout.destroy();
      else child.stdout.resume();
      await once(child, 'close');
      const all = memos.parse(await home.get('transactions')).transactions;
      return all.filter(({ memo }) => memo === 'Bread').length;
    };
    expect(await create(false)).toBe(1);
    expect(await create(true)).toBe(1);
    expect(await create(true)).toBe(2);
  },
);
