/** A sender behind a gate: a test sees what has come to it, and lets it through when it wants to. */
import { HttpSender } from '../../src/client/http-sender.ts';
import { Arrivals } from '../arrivals.ts';
import { ManualClock } from '../manual-clock.ts';

export class GatedSender extends HttpSender {
  /** The signals of the requests that have come while it was shut. */
  readonly arrived = new Arrivals<AbortSignal | undefined>();
  #gate: { readonly opened: Promise<void> } | undefined;

  constructor() {
    // The time of the wire does not pass.
    super({ clock: new ManualClock(0) });
  }

  /** Gives what opens it again. */
  shut(): () => void {
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    this.#gate = { opened };
    return () => {
      this.#gate = undefined;
      open();
    };
  }

  override async send(...exchange: Parameters<HttpSender['send']>): ReturnType<HttpSender['send']> {
    const [, signal] = exchange;
    if (this.#gate) {
      this.arrived.add(signal);
      await this.#gate.opened;
    }
    return super.send(...exchange);
  }
}
