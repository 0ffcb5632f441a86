import { once } from 'node:events';
import { expect, test } from 'vitest';
import { Arrivals } from '../arrivals.helper.ts';
import { connectModern } from '../hosts.helper.ts';
import { Household } from '../household.helper.ts';
import { type HttpProgram, startHttpProgram } from '../http-program.helper.ts';
import { startPassingProxy } from './passing-proxy.helper.ts';

/** A program whose requests for the user wait until the test lets them through. */
async function startHeld(args: readonly string[]) {
  const home = await Household.start();
  const held = new Arrivals<() => void>();
  const { origin, pathname } = new URL(home.service.baseUrl);
  const proxy = await startPassingProxy(origin, async ({ path, deliver }) => {
    if (path.endsWith('/user')) await new Promise<void>((resolve) => held.add(resolve));
    await deliver();
  });
  const program = await startHttpProgram(args, {
    ...home.env(),
    BUDGET_MCP_BASE_URL: proxy + pathname,
  });
  return { home, held, program };
}

const status = async ({ url }: HttpProgram, path: string) => (await fetch(new URL(path, url))).status;

/** Asks until the server says that it is not ready. */
async function drains(program: HttpProgram): Promise<void> {
  while ((await status(program, '/readyz')) === 200);
}

test('after SIGTERM a server is not ready, answers old and new calls, and a second signal ends it at once', async () => {
  const { home, held, program } = await startHeld(['--drain-seconds', '3600']);
  const host = await connectModern({ http: { url: program.url } });
  const exited = once(program.process, 'exit');
  expect(await status(program, '/readyz')).toBe(200);

  const before = host.call('get_user');
  const deliver = await held.next();
  program.process.kill('SIGTERM');
  await drains(program);
  expect(await status(program, '/healthz')).toBe(200);
  expect((await host.call('list_budgets')).isError).toBe(false);

  deliver();
  expect((await before).isError).toBe(false);
  program.process.kill('SIGTERM');
  expect(await exited).toEqual([130, null]);
  await host.close().catch(() => {});
  await home.close();
});

test('without a wait, a server stops at the first signal, and answers the call in progress', async () => {
  const { home, held, program } = await startHeld([]);
  const host = await connectModern({ http: { url: program.url } });
  const exited = once(program.process, 'exit');
  const call = host.call('get_user');
  const deliver = await held.next();
  program.process.kill('SIGTERM');
  deliver();
  expect((await call).isError).toBe(false);
  expect(await exited).toEqual([0, null]);
  await host.close().catch(() => {});
  await home.close();
});

test('a wait ends by itself after the seconds of the setting', async () => {
  const { home, program } = await startHeld(['--drain-seconds', '1']);
  const exited = once(program.process, 'exit');
  program.process.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
  await home.close();
});
