/**
 * Watches with the AI SDK's client, and receives with its handler. Reads from standard input `{"url"}`, the address of a server
 * that can write. Writes what the client and the handler got.
 */
import { createServer } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import { createMCPClient, experimental_createMCPEventWebhook as createWebhook } from '@ai-sdk/mcp';

const { url } = JSON.parse(await text(process.stdin));

/** As the documents of the client show it. */
const subscriptions = new Map();
const store = {
  get: async (key) => subscriptions.get(key),
  getById: async (id) => [...subscriptions.values()].find((each) => each.id === id),
  set: async (subscription) => void subscriptions.set(subscription.key, subscription),
  update: async (key, patch) => void subscriptions.set(key, { ...subscriptions.get(key), ...patch }),
  delete: async (key) => void subscriptions.delete(key),
};

const received = [];
const statuses = [];
let onReceived = () => {};
const handle = createWebhook({
  store,
  onEvent: async ({ event }) => {
    received.push(event);
    onReceived();
  },
});
const receiver = createServer(async (request, response) => {
  const body = await buffer(request);
  const { method, headers } = request;
  const { port } = receiver.address();
  const answer = await handle(
    new Request(`http://127.0.0.1:${port}${request.url}`, { method, headers, body }),
  );
  statuses.push(answer.status);
  response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()));
});
await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve));

const client = await createMCPClient({
  transport: { type: 'http', url },
  experimental_events: { store },
});
const tools = await client.tools();
const call = async (name, args) =>
  JSON.stringify(await tools[name].execute(args, { toolCallId: '1', messages: [] }));
const spend = async (amount) => {
  const next = new Promise((resolve) => {
    onReceived = resolve;
  });
  const row = { account_id: 'Checking', date: 'today', amount, payee_name: 'Shop' };
  await call('create_transactions', { transactions: [row] });
  await next;
};

const events = client.experimental_events;
const listed = await events.list();
const subscribed = await events.subscribe({
  name: 'large_transaction',
  arguments: { amount: 100 },
  delivery: {
    mode: 'webhook',
    url: `http://127.0.0.1:${receiver.address().port}/hook`,
    allowInsecureLocalhost: true,
  },
});
await spend(-500);
const refreshed = await events.refresh({ id: subscribed.id });
await spend(-600);
await events.unsubscribe({ id: subscribed.id });
const left = await call('list_watches', {});

await client.close();
receiver.closeAllConnections();
receiver.close();
process.stdout.write(
  JSON.stringify({ listed, subscribed, refreshed, received, statuses, left, stored: subscriptions.size }),
);
