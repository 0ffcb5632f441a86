/** A machine whose clock differs from that of the service. The service says what time it is with every answer. */
import { describe, expect, it } from 'vitest';
import { addDays } from '../../src/base/calendar.ts';
import { type Clock, dateOf } from '../../src/base/clock.ts';
import { unhurried } from '../manual-clock.helper.ts';
import { startHolding } from '../session/holding.helper.ts';
import { hostOf } from './connected.helper.ts';

const DAY = 24 * 3_600_000;

/** The embedded service, and a host whose server has a clock that is ahead by `aheadMs`, until it is set. */
async function startWrong(aheadMs: number, options: Parameters<typeof hostOf>[1] = {}) {
  const { clock, connect, service, ledger, asked } = await startHolding();
  let ahead = aheadMs;
  const wrong: Clock = { ...unhurried(clock), now: () => clock.now() + ahead };
  const set = (milliseconds: number) => {
    ahead = milliseconds;
  };
  const client = connect(service.accessToken, { clock: wrong, timeZone: 'UTC' });
  const host = await hostOf({ client, clock: wrong }, options);
  const call = async (name: string, args = {}) => {
    const { content, structuredContent } = await host.callTool({ name, arguments: args });
    return {
      text: content.map((each) => (each.type === 'text' ? each.text : '')).join('\n'),
      structuredContent,
    };
  };
  const account_id = ledger.detail().accounts[0]?.id;
  const spend = (date: string, more = {}) =>
    call('create_transactions', { transactions: [{ account_id, date, amount: -4.5 }], ...more });
  return { call, spend, set, asked, today: dateOf(clock.now()), here: dateOf(wrong.now()) };
}

const BEHIND = 'The clock of this machine is 24 h behind that of the service.';
const AHEAD = 'The clock of this machine is 24 h ahead of that of the service.';

describe('a clock that is a day behind', () => {
  it('a write for "today" says which day that was, and that the clock differs', async () => {
    const { spend, here } = await startWrong(-DAY);
    const { text, structuredContent } = await spend('today');
    expect(text).toMatch(/^Written\.$/m);
    expect(text).toContain(`"today" was taken as ${here}.`);
    expect(text).toContain(BEHIND);
    expect(structuredContent).toMatchObject({ freshness: { clock: BEHIND } });
  });

  it('a dry run says so too', async () => {
    const { spend, here } = await startWrong(-DAY);
    const { text } = await spend('today', { dry_run: true });
    expect(text).toContain(`"today" was taken as ${here}.`);
    expect(text).toContain(BEHIND);
  });

  it('the day of the service is entered, although it is in the future here', async () => {
    const { spend, today } = await startWrong(-2 * DAY);
    const { text } = await spend(today);
    expect(text).toMatch(/^Written\.$/m);
    expect(text).toContain('The clock of this machine is 2 days behind that of the service.');
  });

  it('a day that is in the future for the service too is refused before it is asked', async () => {
    const { call, spend, asked, today } = await startWrong(-2 * DAY);
    await call('list_accounts');
    asked();
    const { text } = await spend(addDays(today, 2));
    expect(text).toMatch(/^This call changed nothing\. .* is in the future/);
    expect(asked()).toEqual([]);
  });

  it('a read for "current" names the month that was taken', async () => {
    const { call, here } = await startWrong(-DAY);
    const { text } = await call('get_month', { month: 'current' });
    expect(text).toContain(`"current" was taken as ${here.slice(0, 7)}.`);
    expect(text).toContain(BEHIND);
  });

  it('get_status says so after the first answer of the service, and sends no request for it', async () => {
    const { call } = await startWrong(-DAY);
    expect((await call('get_status')).text).not.toContain('The clock');
    await call('list_accounts');
    const { text, structuredContent } = await call('get_status');
    expect(text).toContain(BEHIND);
    expect(structuredContent).toMatchObject({ clock: BEHIND });
  });
});

it('a date that the service refuses because the clock is ahead comes with the difference, and with the day from which it works', async () => {
  const { spend, today, here } = await startWrong(2 * DAY);
  const { text } = await spend(here);
  expect(text).toMatch(/^This call changed nothing\. The service answered 400/);
  expect(text).toContain(
    `For the service, which counts days in UTC, today is ${today}: it takes ${here} from ${here} 00:00 UTC on at the latest.`,
  );
  expect(text).toContain('The clock of this machine is 2 days ahead of that of the service.');
});

it('a bill that is due today by a clock that is behind is refused with the first day that works', async () => {
  const { call, today, here } = await startWrong(-DAY);
  const bill = { account_id: 'Checking', date: here, amount: -30, frequency: 'monthly' };
  const { text } = await call('create_scheduled_transaction', bill);
  expect(text).toContain(`${here} is over: it takes ${today} and later days.`);
});

it('after the clock was set, the earlier difference is not mentioned, and refuses nothing', async () => {
  const { call, spend, set, today } = await startWrong(DAY);
  expect((await call('list_accounts')).text).toContain(AHEAD);
  set(-DAY);
  expect((await call('get_status')).text).not.toContain('The clock');
  const { text } = await spend(today);
  expect(text).toMatch(/^Written\.$/m);
  expect(text).toContain(BEHIND);
});

it('a clock that is a minute ahead is not mentioned', async () => {
  const { spend, call } = await startWrong(60_000);
  expect((await spend('today')).text).not.toMatch(/The clock|was taken as/);
  expect((await call('get_status')).text).not.toContain('The clock');
});

it('the question to a user who confirms a write mentions the difference', async () => {
  const { spend } = await startWrong(-DAY, { confirm: 'writes' });
  const { text } = await spend('today');
  expect(text).toMatch(/^Create transactions in "Household"\?$/m);
  expect(text).toContain(BEHIND);
});
