/** A cache of budgets before a source that answers when the test wants it to, with what the service would say then. */
import { BudgetError } from '../../src/errors.ts';
import type { BudgetReplica } from '../../src/replica/budget-replica.ts';
import type { Export } from '../../src/replica/entities.ts';
import { ReplicaCache, type ReplicaSource } from '../../src/replica/replica-cache.ts';
import { Watermarks } from '../../src/replica/watermarks.ts';
import { createPayee } from '../../src/service/ledger/payees.ts';
import { AutoAdvanceClock } from '../manual-clock.ts';
import { START, smallLedger } from '../service/ledger/random-changes.ts';
import { type Asked, asked } from './asked.ts';

interface Request {
  readonly budgetId: string;
  readonly since: number | undefined;
  readonly signal: AbortSignal;
  answer(spoil?: (data: Export) => Export): Promise<void>;
  fail(error?: BudgetError): void;
}

/** What `fail` fails with where nothing else is said. */
export const unavailable = new BudgetError('service_unavailable', 'In maintenance.');

function patientSource(service: Asked) {
  const requests: Request[] = [];
  const source: ReplicaSource = (budgetId, since, signal) =>
    new Promise((resolve, reject) => {
      requests.push({
        budgetId,
        since,
        signal,
        answer: async (spoil = (data) => data) => resolve(spoil(await service.export(since))),
        fail: (error = unavailable) => reject(error),
      });
    });
  return { requests, source };
}

export function start(maxBytes = 10_000_000) {
  const ledger = smallLedger();
  const service = asked(ledger);
  // Whoever waits before asking again is back at once.
  const clock = new AutoAdvanceClock(START);
  const { requests, source } = patientSource(service);
  const marks = new Watermarks(clock);
  /** The budgets that have changed in the cache, in order. */
  const changed: string[] = [];
  const onChange = (budgetId: string) => void changed.push(budgetId);
  const cache = new ReplicaCache({ clock, source, marks, maxBytes, onChange });
  const request = (index: number) => {
    const found = requests[index];
    if (!found) throw new Error(`There are ${requests.length} requests.`);
    return found;
  };
  /** A sync whose requests are answered at once. */
  const synced = async (budgetId = 'home') => {
    const held = cache.sync(budgetId);
    await requests.at(-1)?.answer();
    return held;
  };
  const addPayee = (name: string) => ledger.commit((books) => createPayee(books, name));
  return { cache, marks, clock, changed, requests, request, service, synced, addPayee };
}

export const payeesOf = ({ replica }: { readonly replica: BudgetReplica }) =>
  replica.payees.list().map(({ name }) => name);
