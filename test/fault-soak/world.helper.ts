/** The service with its lagging copies, the network, and a client with its dependencies, all in one simulated time. */
import { isDeepStrictEqual } from 'node:util';
import { fixedTokenProvider } from '../../src/auth/token-provider.ts';
import type { Ledger } from '../../src/service/ledger.ts';
import { type ServiceOptions, startService } from '../../src/service/server.ts';
import { BudgetClient } from '../../src/session/budget-client.ts';
import { type HttpRequest, type HttpResponse, HttpSender } from '../../src/session/http/http-sender.ts';
import { RateBudget } from '../../src/session/rate-budget/rate-budget.ts';
import { FaultPlan, LAGS_MS } from './faults.helper.ts';
import { History } from './history.helper.ts';
import { furnish, LaggingLedger, LeadingLedger } from './ledgers.helper.ts';
import { EXCHANGE_HEADER, startNetwork } from './network.helper.ts';
import { Timeline, Traffic } from './timeline.helper.ts';

const START = '2026-11-05T08:00:00Z';
export interface World {
  readonly timeline: Timeline;
  readonly plan: FaultPlan;
  readonly client: BudgetClient;
  readonly ledger: LeadingLedger;
  readonly history: History;
  /** Throws if a copy that has caught up is not the same budget, because the comparisons would then be meaningless. */
  checkCopies(): void;
  close(): Promise<void>;
}

export interface WorldOptions {
  readonly seed: number;
  /** If false, nothing goes wrong and hosts wait. Then no fault may be found. */
  readonly withFaults: boolean;
  /** The interface of the service; the newest by default. */
  readonly version?: ServiceOptions['version'];
}

/** `onExchange` is called for each request. */
export async function startWorld(
  { seed, withFaults, version }: WorldOptions,
  onExchange: (line: string) => void,
): Promise<World> {
  const traffic = new Traffic();
  const timeline = new Timeline(START, traffic);
  const { world: clock, machine } = timeline;
  const service = await startService({
    clock,
    rateLimit: 200,
    transactions: 10,
    ...(version && { version }),
  });
  const ledger = new LeadingLedger(clock);
  furnish(ledger);
  const history = new History(ledger);
  ledger.onChange = () => history.record();
  service.user.ledgers.splice(0, service.user.ledgers.length, ledger);
  const copies = LAGS_MS.map((lagMs) => new LaggingLedger(ledger, clock.now(), lagMs));
  const tokens = copies.map((copy) => service.access.issueToken(service.access.addUser([copy])));
  const plan = new FaultPlan(seed, withFaults);
  const { appUrl: origin, accessToken: token } = service;
  const network = await startNetwork({ origin, copies: tokens, plan, clock, traffic, onExchange });
  const sender = new TrackedSender(timeline, traffic);
  const client = new BudgetClient({
    tokens: fixedTokenProvider({ baseUrl: `${network.url}/v1`, token }),
    sender,
    clock: machine,
    budget: ledger.id,
    rateBudget: () => new RateBudget({ clock: machine }),
    cacheBytes: 2 ** 28,
  });
  return {
    timeline,
    plan,
    client,
    ledger,
    history,
    checkCopies: () => {
      for (const copy of copies) {
        copy.advanceTo(clock.now());
        if (!isDeepStrictEqual(contentsOf(copy), contentsOf(ledger)))
          throw new Error('A lagging copy has become another budget.');
      }
    },
    close: async () => {
      await sender.close();
      await network.close();
      await service.close();
    },
  };
}

const contentsOf = (ledger: Ledger) => [
  ledger.knowledge,
  ledger.accounts(),
  ledger.categoryGroups(),
  ledger.moneyMovements(),
  ledger.payees(),
  ledger.transactions(undefined),
  ledger.scheduledTransactions(),
];

/** Reports which requests are in progress, by the clock of the machine that sends them. */
class TrackedSender extends HttpSender {
  readonly #traffic: Traffic;
  #exchanges = 0;

  constructor({ machine }: Timeline, traffic: Traffic) {
    super({ clock: machine });
    this.#traffic = traffic;
  }

  override exchange(
    request: HttpRequest,
    ...rest: RestOf<Parameters<HttpSender['exchange']>>
  ): Promise<HttpResponse<Buffer>> {
    this.#exchanges += 1;
    const id = String(this.#exchanges);
    const headers = { ...request.headers, [EXCHANGE_HEADER]: id };
    return this.#traffic.exchange(id, () => super.exchange({ ...request, headers }, ...rest));
  }
}

type RestOf<List extends readonly unknown[]> = List extends readonly [unknown, ...infer Rest] ? Rest : never;
