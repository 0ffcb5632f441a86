import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import type { Person } from '../hosts.helper.ts';
import { type Call, reply, startWithConfirmation } from './asking.helper.ts';

const TEN_MINUTES = 600_000;
const callers = ['a', 'b'] as const;
const writes = ['create x', 'create y', 'delete'] as const;
type Write = (typeof writes)[number];

/** A preview that a caller got: in a question to a host that can ask, or in a text to a model. */
interface ShownPreview {
  readonly caller: string;
  readonly write: Write;
  /** The relevant state of the budget. */
  readonly facts: string;
  readonly at: number;
  /** Present for a question to a host of the newer era. */
  readonly requestState?: string;
  isUsed: boolean;
}

const callerAndWrite = { caller: fc.constantFrom(...callers), write: fc.constantFrom(...writes) };
const action = fc.constantFrom('accept', 'accept', 'decline', 'cancel');
const replies = fc.record({
  action,
  /** Selects one of the questions so far. */
  which: fc.nat(20),
  isForged: fc.nat(9).map((each) => each === 0),
  /** Whether the reply is sent by the caller and with the call of the question, or by any other. */
  isMatching: fc.nat(2).map((each) => each > 0),
});

const request = fc.record({
  kind: fc.constant('request'),
  ...callerAndWrite,
  canAsk: fc.boolean(),
  args: fc.constantFrom({ confirm: true }, { confirm: true }, { dry_run: true }, {}),
  reply: fc.option(replies, { nil: undefined }),
});
const olderRequest = fc.record({
  kind: fc.constant('older request'),
  ...callerAndWrite,
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

it('no sequence of calls writes anything whose current preview was not shown and accepted exactly once', async () => {
  const { clock, ledger, enter, ...budget } = await startWithConfirmation('writes');
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
    readonly #shown: ShownPreview[] = [];
    #amount = -10;
    /** The relevant state of the budget after the last change by others. */
    #facts = '';

    async step(step: Step): Promise<void> {
      if (step.kind === 'wait') clock.advance(step.ms);
      else if (step.kind === 'change') this.#change();
      else if (step.kind === 'request') await this.#request(step);
      else await this.#olderRequest(step);
    }

    async #request({ args, canAsk, reply: given, ...chosen }: Request): Promise<void> {
      const questions = this.#shown.filter(({ requestState }) => requestState !== undefined);
      const question = questions[(given?.which ?? 0) % Math.max(questions.length, 1)];
      const { caller, write } = (given?.isMatching && question) || chosen;
      const state = given?.isForged ? 'v1.e30.AAAA' : question?.requestState;
      const previews = [
        ...('confirm' in args ? this.#shown.filter(({ requestState }) => requestState === undefined) : []),
        ...(given?.action === 'accept' && !given.isForged && question ? [question] : []),
      ];
      await this.#check(caller, write, previews, async () => {
        const retry = given && reply(given.action, state);
        const { text, requestState } = await this.#call(`${caller} ${canAsk}`, write, args, retry);
        if (requestState !== undefined) this.#show(caller, write, requestState);
        else if (/^Dry run|confirm: true/m.test(text)) this.#show(caller, write);
      });
    }

    async #olderRequest({ caller, write, answers }: OlderRequest): Promise<void> {
      const left = [...answers];
      const previews: ShownPreview[] = [];
      person = () => {
        const { action, changes } = left.shift() ?? { action: 'decline', changes: false };
        // During a call only the last question can be accepted.
        previews.splice(0, 1, this.#preview(caller, write));
        if (changes) this.#change();
        return action;
      };
      await this.#check(caller, write, previews, async () => {
        const { text } = await this.#call(`${caller} older`, write);
        if (text.includes('confirm: true')) this.#show(caller, write);
      });
    }

    /** Checks that `call` writes nothing but its own write, once, and only if one of `previews` allows it. */
    async #check(caller: string, write: Write, previews: ShownPreview[], call: () => Promise<void>) {
      const before = this.#written();
      this.#facts = this.#readFacts();
      await call();
      const after = this.#written();
      const done = writes.filter((each) => after[each] !== before[each]);
      if (done.length === 0) return;
      total += 1;
      expect(done).toEqual([write]);
      expect(after[write]).toBe(before[write] + 1);
      const isValid = (each: ShownPreview) =>
        each.caller === caller &&
        each.write === write &&
        each.facts === this.#facts &&
        clock.now() - each.at < TEN_MINUTES &&
        !each.isUsed;
      const used = previews.find(isValid);
      expect(used, 'the preview that was shown and accepted').toBeDefined();
      if (used) used.isUsed = true;
    }

    #call(host: string, write: Write, args = {}, retry?: JsonObject) {
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
      this.#facts = this.#readFacts();
    }

    #preview(caller: string, write: Write, requestState?: string): ShownPreview {
      const facts = this.#readFacts();
      return { caller, write, facts, at: clock.now(), isUsed: false, ...(requestState && { requestState }) };
    }

    #show(caller: string, write: Write, requestState?: string): void {
      this.#shown.push(this.#preview(caller, write, requestState));
    }

    /** The memo contains the run's own id, so that a run cannot use previews of an earlier one. */
    #memoOf = (write: Write) => `${write} ${this.#target}`;

    #readFacts = () =>
      JSON.stringify([ledger.account(account.id)?.balance, ledger.transaction(this.#target)]);

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
  expect(total, 'the number of writes, without which the property checks nothing').toBeGreaterThan(20);
}, 120_000);
