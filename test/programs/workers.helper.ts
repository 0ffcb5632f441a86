/** A hosted server with `--workers`, for each store that workers can share. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { unusedPort } from '../local-server.helper.ts';
import { KeptSignIn } from './kept-sign-in.helper.ts';
import { Machines, type MachinesOptions } from './machines.helper.ts';
import { preparePeople } from './machines-soak.helper.ts';
import { DistantBrowser, signInOnPages } from './sign-in-pages.helper.ts';
import { Visitor } from './visitor.helper.ts';
import { VisitorReport } from './visitor-report.helper.ts';

const PEOPLE = 6;
const RECOVERY_MS = 30_000;

/** The processes that a process has started. */
const childrenOf = async (pid: number) =>
  (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ').filter(Boolean).map(Number);

async function start(store: MachinesOptions['store'], ...args: readonly string[]) {
  const people = await preparePeople(Array.from({ length: PEOPLE }, () => 200));
  const { service, rows, publicUrl } = people;
  onTestFinished(() => service.close());
  const directory = await mkdtemp(join(tmpdir(), 'workers-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const machines = await Machines.start({
    directory,
    service,
    publicUrl,
    servers: 1,
    store,
    args: ['--workers', '2', ...args],
  });
  onTestFinished(async () => void (await machines.close()));
  return { service, rows, machines };
}

export function testsOfWorkers(store: MachinesOptions['store']): void {
  test('each person is answered by one process, and by its successor after it was killed', async () => {
    const port = await unusedPort();
    const { service, rows, machines } = await start(store, '--metrics-port', `${port}`);
    expect(machines.servers[0]?.written).toContain(`Metrics are at http://127.0.0.1:${port}/metrics`);
    const report = new VisitorReport();
    const visitors: Visitor[] = [];
    for (const [nth, person] of service.people.entries()) {
      const browser = new DistantBrowser(nth, [machines.issuer, service.appUrl]);
      const { clientId, tokens } = await signInOnPages(
        { issuer: machines.issuer, resource: machines.url },
        person,
        { browser, decision: 'allow', clientName: `Assistant ${nth}` },
      );
      const signIn = new KeptSignIn(machines.issuer, clientId, tokens);
      const ofPerson = rows[nth];
      if (!ofPerson) throw new Error(`There is no person ${nth}.`);
      const { headers } = browser;
      visitors.push(
        new Visitor({ nth, place: nth, url: machines.url, signIn, rows: ofPerson, report, headers }),
      );
    }
    onTestFinished(async () => void (await Promise.all(visitors.map((visitor) => visitor.close()))));
    const askAll = async () => {
      for (const visitor of visitors)
        for (const turn of [0, 1, 2, 3, 4]) expect(await visitor.ask(turn)).toBe(true);
    };
    await askAll();
    await askAll();
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(/^budget_mcp_grants_open (\d+)$/m.exec(metrics)?.[1]).toBe(`${PEOPLE}`);

    const server = machines.servers[0]?.pid ?? 0;
    const workers = await childrenOf(server);
    expect(workers).toHaveLength(2);
    for (const worker of workers) {
      process.kill(worker, 'SIGKILL');
      for (const visitor of visitors) {
        await visitor.write();
        expect(await visitor.recover(RECOVERY_MS), [...report.errors].join()).toBe(true);
      }
      while ((await childrenOf(server)).length < 2) await setTimeout(100);
    }
    expect(await childrenOf(server)).not.toContain(workers[0]);
    for (const [nth, person] of service.people.entries())
      await rows[nth]?.checkService((path) => service.get(person, path));
    expect(report.failures).toEqual([]);
    expect(await machines.close()).toEqual([0]);
  }, 300_000);

  test('a Ctrl-C, which reaches all processes, lets them answer until the wait is over', async () => {
    const { machines } = await start(store, '--drain-seconds', '6');
    const [server] = machines.servers;
    if (!server?.pid || !server.url) throw new Error('The server does not run.');
    const { pid, url } = server;
    const status = async (path: string) => (await fetch(new URL(path, url))).status;
    for (const each of [...(await childrenOf(pid)), pid]) process.kill(each, 'SIGINT');
    while ((await status('/readyz')) === 200);
    expect(await status('/healthz')).toBe(200);
    while (server.ends.length === 0) await setTimeout(100);
    expect(server.ends.map(({ exitCode }) => exitCode)).toEqual([0]);
  });
}
