/** What the service has, and what it has ever done, without the programs. */
import { systemClock } from '../../src/base/clock.ts';
import { type Service, startService } from '../../src/service/server.ts';
import { History } from '../fault-soak/history.helper.ts';
import { furnish, LeadingLedger } from '../fault-soak/ledgers.helper.ts';
import { fieldsOf, type RowFields } from './row-fields.helper.ts';

/** Out of reach. */
const REQUESTS_IN_AN_HOUR = 90_000;

export class Truth {
  readonly service: Service;
  readonly history: History;
  readonly today: string;

  private constructor(service: Service, history: History, today: string) {
    this.service = service;
    this.history = history;
    this.today = today;
  }

  /** `onCommit` is called after each change. */
  static async start(onCommit: () => void, redirectUris: readonly string[] = []): Promise<Truth> {
    const service = await startService({
      clock: systemClock,
      rateLimit: REQUESTS_IN_AN_HOUR,
      transactions: 10,
      redirectUris,
    });
    const ledger = new LeadingLedger(systemClock);
    furnish(ledger);
    const history = new History(ledger);
    ledger.onChange = () => {
      history.record();
      onCommit();
    };
    service.user.ledgers.splice(0, service.user.ledgers.length, ledger);
    return new Truth(service, history, ledger.state.today);
  }

  /** How often all of this was done. */
  timesDone(marks: readonly string[]): number {
    return Math.min(...marks.map((name) => this.history.marks(name).length));
  }

  /** Undefined if the service does not have it. */
  row(id: string): RowFields | undefined {
    const found = this.history.current('transaction').find((row) => row.id === id);
    return found && fieldsOf(found);
  }
}
