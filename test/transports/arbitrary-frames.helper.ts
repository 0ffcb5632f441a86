/** What a broken or hostile host may send instead of a message: bytes without a newline. */
import fc from 'fast-check';

const methods = [
  'completion/complete',
  'elicitation/create',
  'initialize',
  'logging/setLevel',
  'notifications/cancelled',
  'notifications/initialized',
  'ping',
  'prompts/get',
  'prompts/list',
  'resources/list',
  'resources/read',
  'resources/subscribe',
  'resources/templates/list',
  'server/discover',
  'subscriptions/listen',
  'tools/call',
  'tools/list',
];

const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(null, '', -1, 1.5, 1e308, '__proto__', [], {}),
);

const params = fc.record(
  {
    name: fc.oneof(fc.constantFrom('get_status', 'list_accounts', 'create_transaction'), odd),
    arguments: odd,
    uri: fc.oneof(fc.constantFrom('budget://status', 'budget://v1/budgets', 'budget://v1/%'), odd),
    requestId: odd,
    protocolVersion: odd,
    capabilities: odd,
    ref: odd,
    argument: odd,
    notifications: odd,
    _meta: odd,
  },
  { requiredKeys: [] },
);

/** A message with some valid members. Numeric ids are smaller than those of the tests' own requests. */
const message = fc.record(
  {
    jsonrpc: fc.oneof({ weight: 9, arbitrary: fc.constant('2.0') }, { weight: 1, arbitrary: odd }),
    id: fc.oneof(fc.nat(20), fc.string({ maxLength: 5 }), odd),
    method: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...methods) }, { weight: 1, arbitrary: odd }),
    params: fc.oneof({ weight: 4, arbitrary: params }, { weight: 1, arbitrary: odd }),
    result: odd,
    error: fc.oneof(odd, fc.constant({ code: 1, message: 'no' })),
  },
  { requiredKeys: ['jsonrpc'] },
);

const almostJson = fc
  .tuple(message, fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(3), fc.string({ maxLength: 3 }))
  .map(([value, share, removed, inserted]) => {
    const text = JSON.stringify(value);
    const at = Math.floor(share * text.length);
    return text.slice(0, at) + inserted + text.slice(at + removed);
  });

const nested = fc
  .tuple(fc.constantFrom(['[', ']'], ['{"a":', '}']), fc.constantFrom(63, 64, 65, 10_000, 200_000))
  .map(([[open = '', end = ''], depth]) => `${open.repeat(depth)}1${end.repeat(depth)}`);

const bytesOf = (text: string) => Buffer.from(text.replaceAll('\n', ' '));

export const frame: fc.Arbitrary<Buffer> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc
      .uint8Array({ maxLength: 300 })
      .map((bytes) => Buffer.from(bytes.map((byte) => (byte === 0x0a ? 0 : byte)))),
  },
  { weight: 4, arbitrary: message.map((value) => bytesOf(JSON.stringify(value))) },
  { weight: 2, arbitrary: almostJson.map(bytesOf) },
  {
    weight: 1,
    arbitrary: fc.array(message, { maxLength: 4 }).map((batch) => bytesOf(JSON.stringify(batch))),
  },
  { weight: 1, arbitrary: nested.map(bytesOf) },
);
