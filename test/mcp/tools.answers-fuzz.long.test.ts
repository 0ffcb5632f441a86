/**
 * For every HTTP response a tool returns a right result or an error of limited length, and nothing is logged as a bug. Time
 * passes only while no request is in progress, so the host of a write usually gets its result within its ten seconds. In
 * other cases all ten seconds pass while the write is in progress.
 */
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { fixedTokenProvider } from '../../src/auth/token-provider.ts';
import { operations } from '../../src/operations/index.ts';
import { EXAMPLE_ID, type Operation } from '../../src/operations/operation.ts';
import { BudgetClient } from '../../src/session/budget-client.ts';
import { ANSWER_LIMIT_MS } from '../../src/session/writes/write-call.ts';
import { objectOf } from '../answers/arbitrary-data.helper.ts';
import { fuzzRuns } from '../fuzz.helper.ts';
import { forbidden, hostileText } from '../hostile-texts.helper.ts';
import { sendJson, serveHttp } from '../local-server.helper.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { inPassingTime, WatchedSender } from '../session/passing-time.helper.ts';
import { hostOf } from './connected.helper.ts';

interface Sent {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The connection is lost before the end of the body. */
  readonly isCut: boolean;
}

const wholeBudget = z.object({ budget: z.looseObject({ id: z.string() }) });

const deep = fc.integer({ min: 1, max: 50_000 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth));
const error = fc.record({ error: fc.record({ id: hostileText, name: hostileText, detail: hostileText }) });

/** The same value, but with one part of it replaced, at any depth. */
const almost = (json: string, place: number, other: unknown) => {
  let count = 0;
  const wanted = place % Math.max(1, json.split(':').length);
  return JSON.stringify(JSON.parse(json), (_, value: unknown) => {
    count += 1;
    return count === wanted + 2 ? other : value;
  });
};

/** A response as the interface specifies it. An export contains the requested budget. */
const rightBody = ({ output }: Operation) =>
  objectOf(output, () => hostileText).map((data) => {
    const exported = wholeBudget.safeParse(data).data?.budget;
    return JSON.stringify({ data: exported ? { ...data, budget: { ...exported, id: ID } } : data });
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
  Object.fromEntries([...operation.route.matchAll(/\{(\w+_id)\}/g)].map(([, name = '']) => [name, ID]));

/** In the form of an id, so that it is not taken for a name. */
const ID = '0b1e5c1a-0000-4000-8000-000000000001';

const argumentsOf = (operation: Operation): Record<string, unknown> => ({
  ...JSON.parse(JSON.stringify(operation.example).replaceAll(EXAMPLE_ID, ID)),
  ...pathParameters(operation),
});

const WRITTEN = /Written|Nothing was changed|There was nothing new to write/;
const budgets = [{ id: ID, name: 'Home' }];
const result = z.object({
  content: z.array(z.object({ text: z.string() })).length(1),
  isError: z.boolean().optional(),
});

/** What the service does in one call. */
interface Behaviour {
  readonly next: Sent;
  /** Every other operation gets a right response. */
  readonly isOnlyOperation: boolean;
  /** The host's ten seconds pass before the response to the operation. */
  readonly isLate: boolean;
}

const patternOf = ({ route }: Operation) => {
  const [method = '', path = ''] = route.split(' ');
  return new RegExp(`^${method} ${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
};

/** A right response for each read, always the same. */
const readAnswers = operations
  .filter(({ kind }) => kind === 'read')
  .map((read) => [patternOf(read), fc.sample(rightBody(read), { numRuns: 1, seed: 1 })[0] ?? ''] as const);

/** A service in which only one operation is tested. The list of budgets usually gets a right response. */
async function startService(operation: Operation) {
  const pattern = patternOf(operation);
  const call: { behaviour?: Behaviour; clock?: ManualClock } = {};
  const server = await serveHttp((request, response) => {
    const asked = `${request.method} ${request.url?.split('?')[0]}`;
    const isOperation = pattern.test(asked);
    const { behaviour } = call;
    if (!behaviour || (asked === 'GET /budgets' && !isOperation))
      return sendJson(response, { data: { budgets } });
    const [, answer] = readAnswers.find(([read]) => read.test(asked)) ?? [];
    if (behaviour.isOnlyOperation && !isOperation && answer !== undefined) return response.end(answer);
    if (behaviour.isLate && isOperation) call.clock?.advance(ANSWER_LIMIT_MS);
    const { status, headers, body, isCut } = behaviour.next;
    response.writeHead(status, headers);
    if (!isCut) return response.end(body);
    response.write(body.subarray(0, body.length / 2));
    return response.destroy();
  });
  return { call, url: server.url };
}

async function startHost(operation: Operation) {
  const { call, url } = await startService(operation);
  const tokens = fixedTokenProvider({ baseUrl: url, token: 'token-of-the-user' });
  // The sender's clock does not move, so every response arrives.
  const sender = new WatchedSender({ clock: new ManualClock('2026-11-21T12:00:00Z') });
  onTestFinished(() => sender.close());
  const bugs: unknown[] = [];
  const callTool = async (behaviour: Behaviour, cacheBytes: number) => {
    // Timers that a call leaves behind never fire.
    const clock = new ManualClock('2026-11-21T12:00:00Z');
    call.behaviour = behaviour;
    call.clock = clock;
    const client = new BudgetClient({ tokens, sender, clock, cacheBytes });
    const host = await hostOf(
      { client, clock },
      { confirm: 'none', log: { error: ({ err }) => bugs.push(err) } },
    );
    const calling = host.callTool({ name: operation.name, arguments: argumentsOf(operation) });
    const { content, isError = false } = result.parse(await inPassingTime(calling, { clock, sender }));
    await host.close();
    return { text: content[0]?.text ?? '', isError };
  };
  return { callTool, bugs };
}

test.each(operations.map((operation) => [operation.name, operation] as const))(
  '%s returns a right result or an error of limited length for every response',
  async (_, operation) => {
    const { callTool, bugs } = await startHost(operation);
    const behaviours = fc.record({
      next: fc.oneof({ weight: 3, arbitrary: anySent(operation) }, rightSent(operation)),
      isOnlyOperation: fc.boolean(),
      isLate: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
    });
    await fc.assert(
      fc.asyncProperty(behaviours, fc.constantFrom(0, 2 ** 20), async (behaviour, cacheBytes) => {
        const { text, isError } = await callTool(behaviour, cacheBytes);
        expect(bugs).toEqual([]);
        expect(text).not.toBe('');
        if (isError) {
          expect(text).not.toMatch(forbidden);
          expect(text.length).toBeLessThan(3_000);
        }
      }),
      { numRuns: fuzzRuns(12) },
    );
  },
);

const named = (kinds: readonly Operation[]) => kinds.map((operation) => [operation.name, operation] as const);
const isRead = ({ kind }: Operation) => kind === 'read';

test.each(named(operations.filter(isRead)))('%s takes every right answer', async (_, operation) => {
  const { callTool } = await startHost(operation);
  await fc.assert(
    fc.asyncProperty(rightSent(operation), async (next) => {
      const behaviour = { next, isOnlyOperation: false, isLate: false };
      expect(await callTool(behaviour, 0)).toMatchObject({ isError: false });
    }),
    { numRuns: fuzzRuns(3) },
  );
});

test.each(named(operations.filter((operation) => !isRead(operation))))(
  '%s is written if the right response arrives in time, and unknown to a host whose time ends before',
  async (_, operation) => {
    const { callTool } = await startHost(operation);
    await fc.assert(
      fc.asyncProperty(rightSent(operation), fc.boolean(), async (next, isLate) => {
        const { text, isError } = await callTool({ next, isOnlyOperation: true, isLate }, 0);
        expect({ text, isError }).toEqual({
          text: expect.stringMatching(isLate ? /after 10 s .* still being looked for/ : WRITTEN),
          isError: isLate,
        });
      }),
      { numRuns: fuzzRuns(4) },
    );
  },
);
