/**
 * 64 hosts of both protocol eras on one HTTP server, for a minute or the given number of seconds. Reports the number of
 * calls, their duration, the failures, and the server's memory.
 */
import { readFile } from 'node:fs/promises';
import { eras, type Host } from './hosts.helper.ts';
import { Household } from './household.helper.ts';
import { startHttpProgram } from './http-program.helper.ts';
import { someIds } from './ids.helper.ts';

const HOSTS = 64;
const seconds = Number(process.argv[2] ?? 60);
const token = 'a-token-of-those-who-may-call-by-http';

const home = await Household.start();
const ids = await someIds(home.service);
const program = await startHttpProgram(['--reserve', '0'], { ...home.env(), BUDGET_MCP_HTTP_TOKEN: token });
const hosts = await Promise.all(
  Array.from({ length: HOSTS }, async (_, nth) => {
    const connect = eras[nth % 2 === 0 ? 0 : 1][1];
    return connect({ http: { url: program.url, token } });
  }),
);
const categories = `budget://v1/budgets/${home.budgetId}/categories`;
for (const host of hosts) await host.subscribe(categories);

const mebibytes = async () => {
  const status = await readFile(`/proc/${program.process.pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
};

const steps: readonly ((host: Host) => Promise<unknown>)[] = [
  (host) => answered(host, 'list_accounts'),
  (host) => answered(host, 'get_category', { category_id: ids.category_id }),
  (host) => answered(host, 'list_transactions', { limit: 20 }),
  (host) => host.read(`budget://v1/budgets/${home.budgetId}/months/current`),
  (host) => answered(host, 'get_status'),
];

async function answered(host: Host, name: string, args = {}): Promise<void> {
  const { isError, text } = await host.call(name, args);
  if (isError) throw new Error(text);
}

const taken: number[] = [];
const failures: string[] = [];
let writes = 0;
const end = performance.now() + seconds * 1_000;

async function converse(host: Host, nth: number): Promise<void> {
  for (let turn = nth; performance.now() < end; turn += 1) {
    const start = performance.now();
    try {
      await steps[turn % steps.length]?.(host);
      // Sometimes one host writes, and all hosts are notified.
      if (nth === 0 && turn % 500 === 0) {
        writes += 1;
        await answered(host, 'update_category', { category_id: ids.category_id, note: `Note ${writes}` });
      }
    } catch (error) {
      failures.push(String(error));
    }
    taken.push(performance.now() - start);
  }
}

const memory = [await mebibytes()];
const watching = setInterval(async () => memory.push(await mebibytes()), (seconds * 1_000) / 6);
await Promise.all(hosts.map(converse));
clearInterval(watching);
memory.push(await mebibytes());
const updates = hosts.reduce((sum, host) => sum + host.updates.length, 0);
await Promise.all(hosts.map((host) => host.close()));
const code = await program.stop();
await home.close();

taken.sort((a, b) => a - b);
const at = (share: number) => `${(taken[Math.floor(taken.length * share)] ?? 0).toFixed(1)} ms`;
process.stdout.write(
  [
    `${HOSTS} hosts, ${seconds} s: ${taken.length} calls, ${Math.round(taken.length / seconds)} a second, median ${at(0.5)}, p99 ${at(0.99)}`,
    `${failures.length} failures${failures.length > 0 ? `, the first: ${failures[0]}` : ''}; exit code ${code}`,
    `${writes} writes, ${updates} notifications of hosts`,
    `memory in MiB: ${memory.join(', ')}`,
    '',
  ].join('\n'),
);
