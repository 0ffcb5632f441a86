/** Programs of one sign-in that share a state, on the clock of a machine, behind a proxy. */
import { expect, onTestFinished } from 'vitest';
import { z } from 'zod';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { connectLegacy, type Host, type Started } from '../hosts.helper.ts';
import { startTestService } from '../service/running-service.helper.ts';
import { MachineClock } from './machine-clock.helper.ts';
import { type Pass, startPassingProxy } from './passing-proxy.helper.ts';

export const pidOf = ({ client }: Host) => z.object({ pid: z.int() }).parse(client.transport).pid;

export const stateOf = async (host: Host) => (await host.call('get_status')).structured['state'];

/** The time limit of a host is not shorter than it is without a clock of the test. */
const REAL = 1;

export async function startSharing() {
  const clock = await MachineClock.start('2026-11-21T12:00:00Z');
  const service = await startTestService({ clock: clock.service, rateLimit: 90_000 });
  onTestFinished(() => service.close());
  const [ledger = expect.unreachable()] = service.user.ledgers;
  /** Replaced by a test. */
  const hooks: { pass: Pass } = { pass: ({ deliver }) => deliver() };
  const url = await startPassingProxy(service.appUrl, (passage) => hooks.pass(passage));
  const directory = await temporaryDirectory();
  const env = {
    ...clock.env,
    BUDGET_MCP_BASE_URL: `${url}/v1`,
    BUDGET_MCP_TOKEN: service.accessToken,
    BUDGET_MCP_NO_STATE: 'false',
  };
  const args = ['serve', '--state-dir', directory, '--confirm', 'none'];
  /** Starts a program, and waits until it has read the budget. */
  const start = async (command?: Started['command']): Promise<Host> => {
    const host = await connectLegacy({ args, env, ...(command && { command }) });
    onTestFinished(() => host.close());
    await works(host);
    return host;
  };
  const works = async (host: Host) => {
    const { isError, text } = await clock.passing(host.call('list_accounts'), REAL);
    expect(isError, text).toBe(false);
  };
  const coffee = (memo: string) => ({
    transactions: [{ account_id: 'Wallet', date: '2026-11-20', amount: -4.5, memo }],
  });
  const log = (host: Host, memo: string) =>
    clock.passing(host.call('create_transactions', coffee(memo)), REAL);
  /** As `log`, without an error. */
  const enter = async (host: Host, memo: string) => {
    const { isError, text } = await log(host, memo);
    expect(isError, text).toBe(false);
  };
  const logged = (memo: string) =>
    ledger.transactions(undefined).filter((each) => each.memo === memo && !each.deleted).length;
  return { clock, service, ledger, hooks, directory, env, args, start, works, log, enter, logged };
}
