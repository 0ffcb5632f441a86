/**
 * Budgets with one damaged part: a reference to nothing, a value of another form, a list that is missing. Every question is
 * answered as without the damage, or says what it lacks.
 */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Call, defaultReads } from '../every-call.helper.ts';
import { startHolding } from '../session/holding.helper.ts';
import { hostOf } from './connected.helper.ts';
import { type Damage, damages, Sent } from './damaged-budgets.helper.ts';

const exported = z.object({
  data: z.object({ budget: z.record(z.string(), z.unknown()), server_knowledge: z.number() }),
});

const SAYS = /cannot be read|did not send|unknown (account|payee|category)/;

const questions: readonly Call[] = [
  ...['category', 'group', 'payee', 'account', 'weekday'].map((by) => ({
    name: 'report',
    args: { of: 'spending', by },
  })),
  { name: 'report', args: { of: 'both' } },
  { name: 'report', args: { of: 'income' } },
  { name: 'report', args: { of: 'net_worth', by: 'account', monthly: true } },
  { name: 'find_transactions', args: { text: 'a' } },
];

/** All numbers of an answer, but those of its freshness. */
function numbersIn(value: unknown): readonly number[] {
  if (typeof value === 'number') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => (name === 'freshness' ? [] : numbersIn(each)));
}

type Answer = Awaited<ReturnType<Awaited<ReturnType<typeof startAsking>>>>[number];

async function startAsking(connect: () => Parameters<typeof hostOf>[0]) {
  const host = await hostOf(connect());
  // After this, the client validates structured content against the output schemas.
  await host.listTools();
  return async (calls: readonly Call[]) => {
    const answers = [];
    for (const call of calls) {
      const { structuredContent, content, isError } = await host.callTool({
        name: call.name,
        arguments: call.args,
      });
      const text = content.map((each) => (each.type === 'text' ? each.text : '')).join('\n');
      answers.push({ call, text, isError, numbers: numbersIn(structuredContent) });
    }
    return answers;
  };
}

async function start() {
  const { connect, altering, ledger, direct, clock } = await startHolding({}, { rateLimit: 100_000 });
  const whole = await direct(ledger.id).export();
  const calls = [...defaultReads(whole.budget), ...questions].filter(
    ({ name }) =>
      ![
        ...['get_status', 'list_budgets', 'get_user', 'list_writes', 'list_watches', 'refresh_budget'],
      ].includes(name),
  );
  const asked = new Set(calls.flatMap(({ args }) => Object.values(args)).map(String));
  const asking = () => startAsking(() => ({ client: connect(), clock }));
  const expected = await (await asking())(calls);
  /** What the service sends from now on. A delta has all of the budget as changed. */
  const send = (damage: Damage['damage']): Sent => {
    const sent = new Sent(structuredClone({ ...exportedNow }), asked);
    damage(sent);
    altering.answer = (path, text) => {
      if (!new RegExp(`^/v1/budgets/${ledger.id}(\\?.*)?$`).test(path)) return text;
      const { data } = exported.parse(JSON.parse(text));
      return JSON.stringify({ data: { ...data, budget: sent.budget } });
    };
    return sent;
  };
  let exportedNow = {};
  altering.answer = (path, text) => {
    if (path.endsWith(ledger.id)) exportedNow = exported.parse(JSON.parse(text)).data.budget;
    return text;
  };
  await (await asking())(calls.slice(0, 1));
  return { calls, asking, expected, send, whole };
}

/** Where an answer is another one, it has to say why. Returns those that are wrong. */
const wrongAnswers = (
  answers: readonly Answer[],
  expected: readonly Answer[],
  { what, rests, isOther, refused = /^$/ }: Damage,
): string[] =>
  answers.flatMap(({ call, text, isError, numbers }, at) => {
    const isSame = JSON.stringify(numbers) === JSON.stringify(expected[at]?.numbers);
    const asked = `${call.name} ${JSON.stringify(call.args)}`;
    const isRight =
      (!isError || refused.test(asked)) &&
      (isSame || (rests.test(asked) && (isOther?.test(asked) || SAYS.test(text))));
    return isRight ? [] : [`${what}: ${asked}: ${text.slice(0, 200).replaceAll('\n', ' | ')}`];
  });

describe('a damaged budget', () => {
  it('answers all questions, with the same figures or with what they lack', async () => {
    const { calls, asking, expected, send } = await start();
    const wrong: string[] = [];
    for (const each of damages) {
      send(each.damage);
      wrong.push(...wrongAnswers(await (await asking())(calls), expected, each));
    }
    expect(wrong).toEqual([]);
  });

  it('answers all questions also where a delta was damaged', async () => {
    const { calls, asking, expected, send } = await start();
    const wrong: string[] = [];
    for (const each of damages) {
      send(() => {});
      const askLater = await asking();
      await askLater(calls.slice(0, 1));
      send(each.damage);
      await askLater([{ name: 'refresh_budget', args: {} }]);
      wrong.push(...wrongAnswers(await askLater(calls), expected, each));
    }
    expect(wrong).toEqual([]);
  });

  it('can be written, but for what is damaged', async () => {
    const { asking, send, whole } = await start();
    const { accounts, categories } = whole.budget;
    const account_id = accounts.find(({ on_budget, closed }) => on_budget && !closed)?.id;
    const category_id = categories.find(({ name }) => name === 'Groceries')?.id;
    const row = { account_id, date: '2026-11-20', amount: -1 };
    const creation = (fields: object): Call => ({
      name: 'create_transactions',
      args: { transactions: [{ ...row, ...fields }], dry_run: true },
    });
    const wrong: string[] = [];
    for (const { what, damage } of damages) {
      const { damaged } = send(damage);
      const ask = await asking();
      const isNamed = account_id !== undefined && damaged.includes(account_id);
      const [, other] = await ask([{ name: 'list_payees', args: {} }, creation({ category_id })]);
      if (other?.isError && !isNamed) wrong.push(`${what}: ${other.text}`);
    }
    expect(wrong).toEqual([]);
    const refused = async (what: string, write: (sent: Sent) => Call) => {
      const { damage } = damages.find((each) => each.what === what) ?? expect.unreachable();
      const sent = send(damage);
      const [, answer] = await (await asking())([{ name: 'check_month', args: {} }, write(sent)]);
      return answer;
    };
    const update = (sent: Sent): Call => ({
      name: 'update_transaction',
      args: { transaction_id: sent.damaged[0], memo: 'new', dry_run: true },
    });
    expect(await refused('a transaction without an amount', update)).toMatchObject({
      isError: true,
      text: expect.stringContaining('transaction_id: the service sent it without readable amount.'),
    });
    expect(await refused('a memo that is a number', update)).toMatchObject({ isError: true });
    expect(await refused('a new colour of a flag', update)).not.toMatchObject({ isError: true });
    expect(
      await refused('a payee that is used and not listed', ({ damaged: [payee_id] }) =>
        creation({ payee_id }),
      ),
    ).toMatchObject({
      isError: true,
      text: expect.stringContaining('transactions.0.payee_id: the service refers to it and did not send it.'),
    });
    for (const what of ['a category in a month without what is left', 'a category without a balance'])
      expect(
        await refused(what, ({ damaged: [category] }) => ({
          name: 'assign_money',
          args: { amounts: [{ category, amount: 1 }], dry_run: true },
        })),
      ).toMatchObject({ isError: true, text: expect.stringContaining('without readable balance') });
    expect(
      await refused('a month without what is to be budgeted', () => ({
        name: 'assign_money',
        args: { rule: 'fund_goals', dry_run: true },
      })),
    ).toMatchObject({ isError: true, text: expect.stringContaining('without readable to_be_budgeted') });
    expect(
      await refused('a transaction without an amount', () => ({
        name: 'apply_reconciliation',
        args: { account: account_id, balance: 0, dry_run: true },
      })),
    ).toMatchObject({ text: expect.stringContaining('1 transaction in a form that cannot be read') });
  });
});
