/** Whatever comes back over HTTP: a tool gives a right answer or an error with an end, and nothing is logged as a bug. */
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { fixedTokenProvider } from '../../src/auth/token-provider.ts';
import { BudgetClient } from '../../src/client/budget-client.ts';
import { HttpSender } from '../../src/client/http-sender.ts';
import { operations } from '../../src/operations/index.ts';
import { EXAMPLE_ID, type Operation } from '../../src/operations/operation.ts';
import { objectOf } from '../format/arbitrary-data.ts';
import { fuzzRuns } from '../fuzz.ts';
import { forbidden, hostileText } from '../hostile-texts.ts';
import { sendJson, serveHttp } from '../local-server.ts';
import { ManualClock } from '../manual-clock.ts';
import { hostOf } from '../mcp/connected.ts';

interface Sent {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The connection breaks off before the end of the body. */
  readonly isCut: boolean;
}

const wholeBudget = z.object({ budget: z.looseObject({ id: z.string() }) });

const deep = fc.integer({ min: 1, max: 50_000 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth));
const error = fc.record({ error: fc.record({ id: hostileText, name: hostileText, detail: hostileText }) });

/** The same but for one value in it, at any depth. */
const almost = (json: string, place: number, other: unknown) => {
  let count = 0;
  const wanted = place % Math.max(1, json.split(':').length);
  return JSON.stringify(JSON.parse(json), (_, value: unknown) => {
    count += 1;
    return count === wanted + 2 ? other : value;
  });
};

/** An answer as the interface has it; an export is of the budget that is asked for. */
const rightBody = ({ output }: Operation) =>
  objectOf(output, () => hostileText).map((data) => {
    const exported = wholeBudget.safeParse(data).data?.budget;
    return JSON.stringify({ data: exported ? { ...data, budget: { ...exported, id: 'b-1' } } : data });
  });

const anyBody = (operation: Operation) =>
  fc.oneof(
    fc.tuple(rightBody(operation), fc.nat(), fc.jsonValue({ maxDepth: 1 })).map((parts) => almost(...parts)),
    fc.tuple(rightBody(operation), fc.nat()).map(([json, at]) => json.slice(0, at % json.length)),
    error.map((value) => JSON.stringify(value)),
    fc.json(),
    deep,
    deep.map((json) => `{"data":${json}}`),
    hostileText,
  );

const header = fc.oneof(
  fc.constantFrom('5/200', '-1/0', '1e9/200', 'NaN', ''),
  fc.stringMatching(/^[!-~]{1,50}$/),
);
const status = fc.constantFrom(
  200,
  200,
  200,
  201,
  204,
  299,
  301,
  304,
  400,
  401,
  403,
  404,
  409,
  418,
  429,
  500,
  503,
  504,
  599,
);
const encodings = ['gzip', 'identity', 'br', 'gzip, gzip', 'none'];

const anySent = (operation: Operation): fc.Arbitrary<Sent> =>
  fc
    .record({
      status,
      body: anyBody(operation).map((text) => Buffer.from(text)),
      type: header,
      rate: header,
      encoding: fc.constantFrom(undefined, undefined, undefined, ...encodings),
      isPacked: fc.boolean(),
      isCut: fc.integer({ max: 9, min: 0 }).map((n) => n === 0),
    })
    .map(({ status, body, type, rate, encoding, isPacked, isCut }) => ({
      status,
      body: encoding === 'gzip' && isPacked ? gzipSync(body) : body,
      headers: {
        'content-type': type,
        'x-rate-limit': rate,
        ...(encoding !== undefined && { 'content-encoding': encoding }),
      },
      isCut,
    }));

const rightSent = (operation: Operation): fc.Arbitrary<Sent> =>
  rightBody(operation).map((json) => ({
    status: 200,
    headers: { 'content-encoding': 'gzip' },
    body: gzipSync(json),
    isCut: false,
  }));

const pathParameters = (operation: Operation) =>
  Object.fromEntries([...operation.route.matchAll(/\{(\w+_id)\}/g)].map(([, name = '']) => [name, 'b-1']));

const argumentsOf = (operation: Operation): Record<string, unknown> => ({
  ...JSON.parse(JSON.stringify(operation.example).replaceAll(EXAMPLE_ID, 'b-1')),
  ...pathParameters(operation),
});

const budgets = [{ id: 'b-1', name: 'Home' }];
const result = z.object({
  content: z.array(z.object({ text: z.string() })).length(1),
  isError: z.boolean().optional(),
});

/** A service that answers whatever is in `sent` to all but the question for the budgets that there are. */
async function startService() {
  const sent: { next?: Sent; isAboutBudgets: boolean } = { isAboutBudgets: false };
  const server = await serveHttp((request, response) => {
    const { next } = sent;
    if (!next || (request.url === '/budgets' && !sent.isAboutBudgets))
      return sendJson(response, { data: { budgets } });
    response.writeHead(next.status, next.headers);
    if (!next.isCut) return response.end(next.body);
    response.write(next.body.subarray(0, next.body.length / 2));
    return response.destroy();
  });
  return { sent, url: server.url };
}

test.each(operations.map((operation) => [operation.name, operation] as const))(
  '%s',
  async (name, operation) => {
    const { sent, url } = await startService();
    sent.isAboutBudgets = operation.route === 'GET /budgets';
    const wire = new ManualClock('2026-11-21T12:00:00Z');
    const sender = new HttpSender({ clock: wire });
    onTestFinished(() => sender.close());
    // Whoever waits before a retry is back at once.
    const clock = { now: () => wire.now(), monotonic: () => wire.monotonic(), sleep: async () => {} };
    const bugs: unknown[] = [];
    const call = async (next: Sent, cacheBytes: number) => {
      sent.next = next;
      const tokens = fixedTokenProvider({ baseUrl: url, token: 'token-of-the-user' });
      const client = new BudgetClient({ tokens, sender, clock, cacheBytes });
      const host = await hostOf(
        { client, clock },
        { confirm: 'none', log: { error: ({ err }) => bugs.push(err) } },
      );
      const { content, isError = false } = result.parse(
        await host.callTool({ name, arguments: argumentsOf(operation) }),
      );
      await host.close();
      return { text: content[0]?.text ?? '', isError };
    };
    const cache = fc.constantFrom(0, 2 ** 20);
    await fc.assert(
      fc.asyncProperty(anySent(operation), cache, async (next, cacheBytes) => {
        const { text, isError } = await call(next, cacheBytes);
        expect(bugs).toEqual([]);
        expect(text).not.toBe('');
        if (isError) {
          expect(text).not.toMatch(forbidden);
          expect(text.length).toBeLessThan(3_000);
        }
      }),
      { numRuns: fuzzRuns(12) },
    );
    if (operation.kind === 'read')
      await fc.assert(
        fc.asyncProperty(rightSent(operation), async (next) => {
          expect(await call(next, 0)).toMatchObject({ isError: false });
        }),
        { numRuns: fuzzRuns(3) },
      );
  },
);
