import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Person } from '../hosts.ts';
import { answer, type Call, startAsking } from './asking.ts';

const TEN_MINUTES = 600_000;
const callers = ['a', 'b'] as const;
const writes = ['create x', 'create y', 'delete'] as const;
type Write = (typeof writes)[number];

/** A write that was shown to a caller: in a question to a host that can ask, or in a text to a model. */
interface Showing {
  readonly caller: string;
  readonly write: Write;
  /** What the budget was like. */
  readonly facts: string;
  readonly at: number;
  /** Of a question to a host of the newer era. */
  readonly requestState?: string;
  isSpent: boolean;
}

const who = { caller: fc.constantFrom(...callers), write: fc.constantFrom(...writes) };
const action = fc.constantFrom('accept', 'accept', 'decline', 'cancel');
const reply = fc.record({
  action,
  /** One of the questions so far. */
  which: fc.nat(20),
  isForged: fc.nat(9).map((each) => each === 0),
  /** Whether it is sent with the call and by the caller of the question, or with any other. */
  isMatching: fc.nat(2).map((each) => each > 0),
});

const request = fc.record({
  kind: fc.constant('request'),
  ...who,
  canAsk: fc.boolean(),
  args: fc.constantFrom({ confirm: true }, { confirm: true }, { dry_run: true }, {}),
  reply: fc.option(reply, { nil: undefined }),
});
const olderRequest = fc.record({
  kind: fc.constant('older request'),
  ...who,
  answers: fc.array(fc.record({ action, changes: fc.boolean() }), { minLength: 1, maxLength: 4 }),
});
const wait = fc.record({ kind: fc.constant('wait'), ms: fc.nat(TEN_MINUTES) });
const change = fc.record({ kind: fc.constant('change') });
const sequences = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: request },
    { weight: 2, arbitrary: olderRequest },
    { weight: 1, arbitrary: wait },
    { weight: 1, arbitrary: change },
  ),
  { minLength: 4, maxLength: 14 },
);
type Step = typeof sequences extends fc.Arbitrary<(infer Each)[]> ? Each : never;
type Request = Extract<Step, { kind: 'request' }>;
type OlderRequest = Extract<Step, { kind: 'older request' }>;

it('no sequence of calls writes what was not shown as it is and accepted exactly once', async () => {
  const { clock, ledger, enter, ...budget } = await startAsking('writes');
  const { account } = budget;
  let person: Person = () => 'decline';
  const hosts = new Map<string, Call>();
  for (const caller of callers) {
    for (const canAsk of [true, false])
      hosts.set(`${caller} ${canAsk}`, await budget.modern({ caller, canAsk }));
    hosts.set(`${caller} older`, await budget.older({ caller, person: (question) => person(question) }));
  }
  let total = 0;

  class Run {
    readonly #target = enter('to be deleted');
    readonly #showings: Showing[] = [];
    #amount = -10;
    /** What the budget was like after the last change by others. */
    #facts = '';

    async step(step: Step): Promise<void> {
      if (step.kind === 'wait') clock.advance(step.ms);
      else if (step.kind === 'change') this.#change();
      else if (step.kind === 'request') await this.#request(step);
      else await this.#olderRequest(step);
    }

    async #request({ args, canAsk, reply, ...asked }: Request): Promise<void> {
      const questions = this.#showings.filter(({ requestState }) => requestState !== undefined);
      const question = questions[(reply?.which ?? 0) % Math.max(questions.length, 1)];
      const { caller, write } = (reply?.isMatching && question) || asked;
      const state = reply?.isForged ? 'v1.e30.AAAA' : question?.requestState;
      const licences = [
        ...('confirm' in args ? this.#showings.filter(({ requestState }) => requestState === undefined) : []),
        ...(reply?.action === 'accept' && !reply.isForged && question ? [question] : []),
      ];
      await this.#check(caller, write, licences, async () => {
        const retry = reply && answer(reply.action, state);
        const { text, requestState } = await this.#call(`${caller} ${canAsk}`, write, args, retry);
        if (requestState !== undefined) this.#show(caller, write, requestState);
        else if (/^Dry run|confirm: true/m.test(text)) this.#show(caller, write);
      });
    }

    async #olderRequest({ caller, write, answers }: OlderRequest): Promise<void> {
      const left = [...answers];
      const licences: Showing[] = [];
      person = () => {
        const { action, changes } = left.shift() ?? { action: 'decline', changes: false };
        // Within a call only the last question can be accepted.
        licences.splice(0, 1, this.#showing(caller, write));
        if (changes) this.#change();
        return action;
      };
      await this.#check(caller, write, licences, async () => {
        const { text } = await this.#call(`${caller} older`, write);
        if (text.includes('confirm: true')) this.#show(caller, write);
      });
    }

    /** Whatever `call` writes has to be its own write, done once, and licensed by one of `licences`. */
    async #check(caller: string, write: Write, licences: Showing[], call: () => Promise<void>) {
      const before = this.#written();
      this.#facts = this.#look();
      await call();
      const after = this.#written();
      const done = writes.filter((each) => after[each] !== before[each]);
      if (done.length === 0) return;
      total += 1;
      expect(done).toEqual([write]);
      expect(after[write]).toBe(before[write] + 1);
      const isLicence = (each: Showing) =>
        each.caller === caller &&
        each.write === write &&
        each.facts === this.#facts &&
        clock.now() - each.at < TEN_MINUTES &&
        !each.isSpent;
      const licence = licences.find(isLicence);
      expect(licence, 'what was shown and accepted').toBeDefined();
      if (licence) licence.isSpent = true;
    }

    #call(host: string, write: Write, args = {}, retry?: Record<string, unknown>) {
      const call = hosts.get(host);
      if (!call) throw new Error(`There is no host ${host}.`);
      if (write === 'delete')
        return call('delete_transaction', { transaction_id: this.#target, ...args }, retry);
      const memo = this.#memoOf(write);
      const transaction = { account_id: account.id, date: budget.date, amount: -1, memo };
      return call('create_transactions', { transactions: [transaction], ...args }, retry);
    }

    #change(): void {
      this.#amount -= 1;
      if (budget.exists(this.#target)) budget.change(this.#target, { amount: this.#amount });
      else enter('by others', this.#amount);
      this.#facts = this.#look();
    }

    #showing(caller: string, write: Write, requestState?: string): Showing {
      const facts = this.#look();
      return { caller, write, facts, at: clock.now(), isSpent: false, ...(requestState && { requestState }) };
    }

    #show(caller: string, write: Write, requestState?: string): void {
      this.#showings.push(this.#showing(caller, write, requestState));
    }

    /** No run can use what an earlier one was shown. */
    #memoOf = (write: Write) => `${write} ${this.#target}`;

    #look = () => JSON.stringify([ledger.account(account.id)?.balance, ledger.transaction(this.#target)]);

    #written(): Record<Write, number> {
      const rows = [...ledger.state.transactions.values()];
      const countOf = (write: Write) => rows.filter(({ memo }) => memo === this.#memoOf(write)).length;
      const deleted = budget.exists(this.#target) ? 0 : 1;
      return { 'create x': countOf('create x'), 'create y': countOf('create y'), delete: deleted };
    }
  }

  const property = fc.asyncProperty(sequences, async (steps) => {
    const run = new Run();
    for (const step of steps) await run.step(step);
  });
  await fc.assert(property, { numRuns: 60 });
  expect(total, 'of sequences that write nothing there would be nothing to see').toBeGreaterThan(20);
}, 120_000);
