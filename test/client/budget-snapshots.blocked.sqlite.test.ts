import { expect, test } from 'vitest';
import { BudgetSnapshots } from '../../src/client/budget-snapshots.ts';
import { fastParse } from '../../src/client/fast-validate.ts';
import { getBudget } from '../../src/operations/budgets.ts';
import { directReader } from '../replica/service-reader.helper.ts';
import { smallLedger } from '../service/ledger/random-changes.helper.ts';
import {
  changeAfterWait,
  startProcesses,
  startWriting,
  untilFree,
} from '../state/blocked-processes.helper.ts';
import { sqlite } from '../state/sqlite.helper.ts';

test.skipIf(!sqlite)(
  'a snapshot is given up when the store is blocked, and the next one replaces it',
  async () => {
    const { clock, path, processes } = await startProcesses(1);
    const [store] = processes;
    if (!store) throw new Error('A process is needed.');
    const data = await directReader(smallLedger()).export();
    const snapshots = new BudgetSnapshots(store, (value) => fastParse(getBudget.output, value)?.data);
    const end = startWriting(path);
    const writing = changeAfterWait(clock, () => snapshots.write('home', [data]));
    await expect(writing).rejects.toMatchObject({ isBlocked: true });
    end();
    await untilFree(clock, processes);
    const { id, replaced } = await snapshots.write('home', [data]);
    expect(replaced).toHaveLength(1);
    expect(await snapshots.read(id)).toEqual(data);
  },
);
