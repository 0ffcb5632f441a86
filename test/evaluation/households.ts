/**
 * The three households of the evaluation. Each comes from a seed and a frozen day, so that equal runs have equal rows with
 * equal ids, and equal later requests give equal new ids. The embedded service has that one budget only.
 */
import { z } from 'zod';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { recordAssignments } from '../../src/service/demo-data/assignments.ts';
import { household } from '../../src/service/demo-data/household.ts';
import { Random } from '../../src/service/demo-data/random.ts';
import type { Ledger } from '../../src/service/ledger.ts';
import { startService } from '../../src/service/server.ts';
import { type Export, readExport } from './export.ts';
import { haushalt } from './households/haushalt.ts';
import type { DirectAccess } from './task.ts';

/** Noon of the day on which every conversation takes place: Wednesday, 2026-11-18, UTC. */
export const NOW = Date.UTC(2026, 10, 18, 12);

const households = {
  /** English, EUR, two years, about 1,700 transactions. */
  household: () => household(new Random(2026), NOW, {}),
  /** English, EUR, ten years, 12,000 transactions. */
  'ten-years': () =>
    household(new Random(2016), NOW, { months: 120, transactions: 12_000, categories: 80, payees: 400 }),
  /** German, CHF, a year and a half, about 1,200 transactions. */
  haushalt: () => haushalt(new Random(41), NOW, { months: 18 }),
} satisfies Record<string, () => Ledger>;

export type HouseholdName = keyof typeof households;
export const householdNames = Object.keys(households) as readonly HouseholdName[];

export interface StartedHousehold {
  /** `http://127.0.0.1:PORT/v1` */
  readonly baseUrl: string;
  readonly accessToken: string;
  readonly budgetId: string;
  readonly direct: DirectAccess;
  /** The budget as it is now. Before anything is written it is the same each time, so that is read once. */
  export(): Promise<Export>;
  close(): Promise<void>;
}

/** Reading an export takes a second. */
const initialExports = new Map<HouseholdName, Promise<Export>>();

/** Starts the service with one household. Its clock begins at `NOW` and goes on with the time of the machine. */
export async function startHousehold(name: HouseholdName): Promise<StartedHousehold> {
  const ledger = households[name]();
  recordAssignments(ledger);
  const service = await startService({ clock: clockFrom(NOW), months: 1 });
  const { baseUrl, accessToken, access, user } = service;
  user.ledgers.splice(0, user.ledgers.length, ledger);
  // Requests count for each token, so those by tokens of their own take nothing from the limit of `accessToken`.
  const newToken = () => access.issueToken(user);
  const readNow = () => readExport(baseUrl, newToken(), ledger.id);
  const initialKnowledge = ledger.knowledge;
  return {
    baseUrl,
    accessToken,
    budgetId: ledger.id,
    direct: directAccess(`${baseUrl}/budgets/${ledger.id}`, newToken),
    export() {
      if (ledger.knowledge !== initialKnowledge) return readNow();
      const initial = initialExports.get(name) ?? readNow();
      initialExports.set(name, initial);
      return initial;
    },
    close: () => service.close(),
  };
}

function clockFrom(start: number): Clock {
  const began = systemClock.monotonic();
  return { ...systemClock, now: () => start + Math.floor(systemClock.monotonic() - began) };
}

const answer = z.object({ data: z.record(z.string(), z.unknown()) });

function directAccess(budgetUrl: string, newToken: () => string): DirectAccess {
  const send = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${budgetUrl}/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${newToken()}`,
        'content-type': 'application/json',
        connection: 'close',
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return answer.parse(await response.json()).data;
  };
  return { get: (path) => send('GET', path), send };
}
