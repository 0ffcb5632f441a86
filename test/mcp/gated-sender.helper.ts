/** An HTTP sender that a test can stop. Requests that arrive meanwhile are recorded and sent when the test opens it. */
import { HttpSender } from '../../src/session/http/http-sender.ts';
import { Arrivals } from '../arrivals.helper.ts';
import { ManualClock } from '../manual-clock.helper.ts';

export class GatedSender extends HttpSender {
  /** The abort signals of the requests that arrived while it was shut. */
  readonly arrived = new Arrivals<AbortSignal | undefined>();
  #gate: { readonly opened: Promise<void> } | undefined;

  constructor() {
    // Time-outs of requests do not elapse.
    super({ clock: new ManualClock(0) });
  }

  /** Returns a function that opens it again. */
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

  override async exchange(
    ...exchange: Parameters<HttpSender['exchange']>
  ): ReturnType<HttpSender['exchange']> {
    const [, signal] = exchange;
    if (this.#gate) {
      this.arrived.add(signal);
      await this.#gate.opened;
    }
    return super.exchange(...exchange);
  }
}
