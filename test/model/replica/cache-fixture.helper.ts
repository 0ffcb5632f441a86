/** A cache of budgets with a source that responds when the test wants it, with the current data of the service. */
import { BudgetError } from '../../../src/base/errors.ts';
import type { BudgetReplica } from '../../../src/model/replica/budget-replica.ts';
import type { Export } from '../../../src/model/replica/entities.ts';
import { createPayee } from '../../../src/service/ledger/payees.ts';
import {
  type BudgetRead,
  ReplicaCache,
  type ReplicaSource,
} from '../../../src/session/freshness/replica-cache.ts';
import { Watermarks } from '../../../src/session/freshness/watermarks.ts';
import { AutoAdvanceClock } from '../../manual-clock.helper.ts';
import { START, smallLedger } from '../../service/ledger/random-changes.helper.ts';
import { directReader, type ServiceReader } from './service-reader.helper.ts';

interface PendingRequest {
  readonly budgetId: string;
  readonly since: number | undefined;
  readonly signal: AbortSignal;
  respond(change?: (data: Export) => Export): Promise<void>;
  fail(error?: BudgetError): void;
}

/** The default error of `fail`. */
export const unavailable = new BudgetError('service_unavailable', 'In maintenance.');

function controlledSource(service: ServiceReader) {
  const requests: PendingRequest[] = [];
  const source: ReplicaSource = (budgetId, since, signal) =>
    new Promise((resolve, reject) => {
      requests.push({
        budgetId,
        since,
        signal,
        respond: async (change = (data) => data) => resolve(change(await service.export(since))),
        fail: (error = unavailable) => reject(error),
      });
    });
  return { requests, source };
}

export function startCache(maxBytes = 10_000_000) {
  const ledger = smallLedger();
  const service = directReader(ledger);
  // Delays between requests end immediately.
  const clock = new AutoAdvanceClock(START);
  const { requests, source } = controlledSource(service);
  const marks = new Watermarks(clock);
  /** The budgets that have changed in the cache, in order. */
  const changed: string[] = [];
  const onChange = (budgetId: string) => void changed.push(budgetId);
  /** What the cache has reported for other processes, in order. */
  const reads: BudgetRead[] = [];
  const onRead = (read: BudgetRead) => void reads.push(read);
  const cache = new ReplicaCache({ clock, source, marks, maxBytes, onChange, onRead });
  const request = (index: number) => {
    const pending = requests[index];
    if (!pending) throw new Error(`There are ${requests.length} requests.`);
    return pending;
  };
  /** A sync whose request is answered immediately. */
  const syncNow = async (budgetId = 'home') => {
    const cached = cache.sync(budgetId);
    await requests.at(-1)?.respond();
    return cached;
  };
  const addPayee = (name: string) => ledger.commit((state) => createPayee(state, name));
  return { cache, marks, clock, changed, reads, requests, request, service, syncNow, addPayee };
}

export const payeesOf = ({ replica }: { readonly replica: BudgetReplica }) =>
  replica.payees.list().map(({ name }) => name);
