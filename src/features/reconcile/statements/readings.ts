/** How a bank's files of one kind are read for an account, as a person has chosen. It knows no formats. */
import { z } from 'zod';
import type { BudgetCall } from '../../../session/budget-call.ts';

/** What was asked, with its answer. */
const ways = z.record(z.string(), z.string());
const key = z.object({ budget: z.string(), account: z.string(), kind: z.string() });
const readings = z.array(key.extend({ ways }));

type Key = Readonly<z.output<typeof key>>;
type Ways = Readonly<z.output<typeof ways>>;

/** More than a person has accounts and banks. The oldest make room. */
const MAX_READINGS = 200;

export async function readingsOf(call: BudgetCall) {
  const record = await call.record('statement readings', readings, []);
  return {
    /** In all budgets, for files of a kind. */
    ofKind: async (kind: string): Promise<readonly Ways[]> =>
      (await record.read()).flatMap((each) => (each.kind === kind ? [each.ways] : [])),
    get: async (wanted: Key): Promise<Ways> => (await record.read()).find(isOf(wanted))?.ways ?? {},
    /** Without `said`, what was said before is forgotten. */
    set: ({ budget, account, kind }: Key, said?: Ways): Promise<void> =>
      record.update((all) => {
        const isOwn = isOf({ budget, account, kind });
        const others = all.filter((each) => !isOwn(each));
        const after = { budget, account, kind, ways: { ...all.find(isOwn)?.ways, ...said } };
        return [...others, ...(said ? [after] : [])].slice(-MAX_READINGS);
      }),
  };
}

const isOf =
  ({ budget, account, kind }: Key) =>
  (each: Key) =>
    each.budget === budget && each.account === account && each.kind === kind;
