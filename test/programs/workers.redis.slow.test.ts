import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { unusedPort } from '../local-server.helper.ts';
import { noRedis } from '../store/redis.helper.ts';
import { KeptSignIn } from './kept-sign-in.helper.ts';
import { Machines } from './machines.helper.ts';
import { preparePeople } from './machines-soak.helper.ts';
import { DistantBrowser, signInOnPages } from './sign-in-pages.helper.ts';
import { Visitor } from './visitor.helper.ts';
import { VisitorReport } from './visitor-report.helper.ts';

const PEOPLE = 6;
const RECOVERY_MS = 30_000;

/** The processes that a process has started. */
const childrenOf = async (pid: number) =>
  (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ').filter(Boolean).map(Number);

test.skipIf(noRedis)(
  'with --workers, each person is answered by one process, and by its successor after it was killed',
  async () => {
    const people = await preparePeople(Array.from({ length: PEOPLE }, () => 200));
    const { service, rows, publicUrl } = people;
    onTestFinished(() => service.close());
    const directory = await mkdtemp(join(tmpdir(), 'workers-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const port = await unusedPort();
    const machines = await Machines.start({
      directory,
      service,
      publicUrl,
      servers: 1,
      store: 'redis',
      args: ['--workers', '2', '--metrics-port', `${port}`],
    });
    onTestFinished(async () => void (await machines.close()));
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
        expect(await visitor.recover(RECOVERY_MS)).toBe(true);
      }
      while ((await childrenOf(server)).length < 2) await setTimeout(100);
    }
    expect(await childrenOf(server)).not.toContain(workers[0]);
    for (const [nth, person] of service.people.entries())
      await rows[nth]?.checkService((path) => service.get(person, path));
    expect(report.failures).toEqual([]);
    expect(await machines.close()).toEqual([0]);
  },
  300_000,
);
