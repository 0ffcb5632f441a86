/**
 * Connects one client to the server, and makes calls as a model would with that client. Reads from standard input
 * `{"client", "server", "calls", "sendsNulls"}`, where `server` has a command with arguments, or a url. Writes what the
 * model gets: `{"tools", "results"}`.
 */
import { text } from 'node:stream/consumers';

const { client, server, calls, sendsNulls } = JSON.parse(await text(process.stdin));
const { connect } = await import(`./${client}.mjs`);
const { tools, call, close } = await connect(server);

/** What a model sends in strict mode: every field, and null for those that it does not set. */
function filled(name, args) {
  const { properties } = tools.find((tool) => tool.name === name).parameters;
  return { ...Object.fromEntries(Object.keys(properties).map((field) => [field, null])), ...args };
}

const results = [];
for (const { name, args } of calls) {
  const sent = sendsNulls ? filled(name, args) : args;
  results.push({ sent, text: await call(name, sent) });
}
await close();
process.stdout.write(JSON.stringify({ tools, results }));
