/** The page of a person, as a browser without scripts uses it. */
import { describe, expect, test } from 'vitest';
import { startPassingProxy } from '../programs/passing-proxy.helper.ts';
import { type ComposedOptions, startComposed } from './composed.helper.ts';
import { OAuthClient } from './oauth-client.helper.ts';

type Composed = Awaited<ReturnType<typeof startComposed>>;

const lunch = {
  transactions: [{ account_id: 'Checking', date: 'today', amount: -12.5, payee_name: 'Noodle Lantern' }],
};

const selected = (text: string) =>
  [...text.matchAll(/<option value="([^"]*)" selected>/g)].map(([, value]) => value);

const alerts = (text: string) =>
  [...text.matchAll(/<p[^>]* role="(?:alert|status)">([^<]*)</g)].map(([, alert]) => alert);

/** A service that gives no list of budgets while `breaks` says so, and the paths that it was asked for. */
async function startWithProxy(breaks: (path: string) => boolean) {
  const asked: string[] = [];
  const reachAt: ComposedOptions['reachAt'] = async (baseUrl) => {
    const { origin, pathname } = new URL(baseUrl);
    const proxy = await startPassingProxy(origin, async ({ path, deliver }) => {
      asked.push(path.slice(pathname.length));
      if (!breaks(path)) await deliver();
    });
    return proxy + pathname;
  };
  return { hosting: await startComposed({ reachAt }), asked };
}

const budgetsOf = ({ service }: Composed) => service.user.ledgers.map((ledger) => ledger.summary());

describe('the account page', () => {
  test('says who is signed in: their budgets, and their id at the service', async () => {
    const hosting = await startComposed();
    const { text } = (await hosting.account()).view;
    expect(text).toContain(`You are signed in at <b>${new URL(hosting.service.appUrl).host}</b>`);
    for (const { name } of budgetsOf(hosting)) expect(text).toContain(`&quot;${name}&quot;`);
    expect(text).toContain(`Your id there: ${hosting.service.user.id}`);
  });

  test('shows what each application may do and has written, in the time zone of the person, and tells two of one name apart', async () => {
    const hosting = await startComposed();
    const register = () => OAuthClient.register(hosting, { client_name: 'Claude' });
    await (await register()).tokens({}, { decision: 'allow-reading' });
    hosting.clock.advance(60_000);
    const writing = await (await register()).tokens();
    await hosting.call(writing.access_token, 'create_transactions', lunch);
    const account = await hosting.account();
    await account.submit('settings', { time_zone: 'Pacific/Kiritimati' });
    const [second = '', first = ''] = account.view.text.split('<section>').slice(1);
    const now = new Intl.DateTimeFormat('en-GB', {
      dateStyle: 'long',
      timeStyle: 'short',
      timeZone: 'Pacific/Kiritimati',
    }).format(hosting.clock.now());
    expect(account.view.text).toContain('Times are those of Pacific/Kiritimati.');
    expect(second).toContain('<h3>&quot;Claude&quot; no. 2</h3>');
    expect(second).toContain('<dt>May</dt><dd>read and change your budgets</dd>');
    expect(second).toContain(`<dt>Connected</dt><dd>${now}, from this computer (127.0.0.1)</dd>`);
    expect(second).toContain(`<summary>one entry, last on ${now}</summary>`);
    expect(second).toMatch(/<li><b>Create transactions<\/b>:\s+done<br>/);
    expect(first).toContain('<h3>&quot;Claude&quot; no. 1</h3>');
    expect(first).toContain('<dt>May</dt><dd>only read your budgets</dd>');
    expect(first).toContain('<dt>Has written</dt><dd>nothing</dd>');
    for (const each of [first, second])
      expect(each).toContain('<dt>Also while you are away</dt><dd>off</dd>');
    expect(account.view.text.replaceAll('\n', ' ')).toContain(
      'While no application is connected, this server does nothing with your budgets.',
    );
  });

  test('confirms the end of an access once, and still shows what that application has written', async () => {
    const hosting = await startComposed();
    const client = await OAuthClient.register(hosting, { client_name: 'Claude' });
    await hosting.call((await client.tokens()).access_token, 'create_transactions', lunch);
    const account = await hosting.account();
    await account.submit('revoke', { grant: account.grants[0] ?? '' });
    expect(alerts(account.view.text)).toEqual(['The access of the application has ended.']);
    expect(account.view.text).toContain('Written by applications that have no access any more');
    expect(account.view.text).toMatch(/<li><b>Create transactions<\/b> by &quot;Claude&quot;:\s+done<br>/);
    expect(alerts((await account.reload()).text)).toEqual([]);
  });

  test('saves choices, confirms that once, and shows them as chosen', async () => {
    const hosting = await startComposed();
    const account = await hosting.account();
    expect(selected(account.view.text)).toEqual(['', '', '']);
    const budget = budgetsOf(hosting)[1]?.id ?? 'none';
    await account.submit('settings', { time_zone: 'Asia/Tokyo', budget, confirm: 'writes' });
    expect(alerts(account.view.text)).toEqual([
      'Your settings are saved. All your applications use them from now on.',
    ]);
    expect(selected(account.view.text)).toEqual(['Asia/Tokyo', budget, 'writes']);
    expect(alerts((await account.reload()).text)).toEqual([]);
    expect(selected(account.view.text)).toEqual(['Asia/Tokyo', budget, 'writes']);
  });

  test.each([
    [{ time_zone: 'Berlin' }, 'time_zone', 'This time zone is not known here.'],
    [{ budget: 'Nonexistent' }, 'budget', 'This is not one of your budgets.'],
    [{ confirm: 'sometimes' }, 'confirm', 'This is not one of the choices.'],
  ])('explains beside the field what is wrong with %j, and saves nothing', async (wrong, field, reason) => {
    const hosting = await startComposed();
    const account = await hosting.account();
    const right = { time_zone: 'Asia/Tokyo', budget: '', confirm: 'writes' };
    await account.submit('settings', right);
    const { status, text } = await account.submit('settings', { ...right, confirm: 'none', ...wrong });
    expect(status).toBe(400);
    expect(alerts(text)).toEqual(['Nothing was saved. The reason is below the field.']);
    expect(text).toContain(`name="${field}" aria-invalid="true" aria-describedby="${field}-problem">`);
    expect(text).toContain(`<span class="problem" id="${field}-problem">${reason}</span>`);
    expect(selected(text)).toEqual(['Asia/Tokyo', '', 'writes']);
    // The address of the form leads back to the page.
    const again = await account.reload();
    expect([again.url.pathname, ...selected(again.text)]).toEqual(['/account', 'Asia/Tokyo', '', 'writes']);
  });

  test('asks the service for the list of budgets once for each sign-in', async () => {
    const { hosting, asked } = await startWithProxy(() => false);
    const account = await hosting.account();
    await account.submit('settings', { time_zone: 'Asia/Tokyo' });
    await account.reload();
    expect(asked.filter((path) => path === '/budgets')).toHaveLength(1);
    expect(account.view.text).toContain(`<option value="${budgetsOf(hosting)[0]?.id}">`);
  });

  test('says that the list of budgets cannot be had, and keeps the present choice', async () => {
    let isBroken = false;
    const { hosting } = await startWithProxy((path) => isBroken && path.endsWith('/budgets'));
    const budget = budgetsOf(hosting)[0]?.id ?? 'none';
    await (await hosting.account()).submit('settings', { budget });
    isBroken = true;
    const account = await hosting.account();
    expect(account.view.text).toContain('The list of your budgets could not be read when you signed in');
    expect(selected(account.view.text)).toEqual(['', budget, '']);
    await account.submit('settings', { budget, confirm: 'writes' });
    expect(selected(account.view.text)).toEqual(['', budget, 'writes']);
  });

  test('asks once more before everything is deleted, and confirms it afterwards', async () => {
    const hosting = await startComposed();
    const client = await OAuthClient.register(hosting);
    const { access_token: token } = await client.tokens();
    const account = await hosting.account();
    expect(account.view.text).not.toContain('action="/account/delete"');
    const question = await account.browser.open(`${hosting.issuer}/account/delete`);
    expect(question.text).toContain('Delete everything about you here?');
    expect(question.text).toContain('<a class="button" href="/account">Keep everything</a>');
    expect((await hosting.call(token, 'list_accounts')).status).toBe(200);
    account.view = question;
    await account.submit('delete');
    expect(alerts(account.view.text)).toEqual([
      'Everything that was stored here about you is deleted. No application has access any more.',
    ]);
    expect((await hosting.call(token, 'list_accounts')).status).toBe(401);
    const stranger = await account.browser.open(`${hosting.issuer}/account/delete`);
    expect([stranger.url.pathname, alerts(stranger.text)]).toEqual(['/account', []]);
  });

  test.each([
    ['sign-out', 'You are signed out of this page.'],
    ['sign-out-everywhere', 'The access of all applications has ended, and you are signed out of this page.'],
  ])('confirms %s', async (form, notice) => {
    const hosting = await startComposed();
    const account = await hosting.account();
    await account.submit(form);
    expect(alerts(account.view.text)).toEqual([notice]);
    expect(account.view.text).toContain('action="/account/sign-in"');
  });

  test('leads back to the account from a form that has expired and from a sign-in of another browser', async () => {
    const hosting = await startComposed();
    const account = await hosting.account();
    hosting.clock.advance(31 * 60_000);
    await account.submit('settings', { time_zone: 'Asia/Tokyo' });
    const other = await hosting.browser().open(`${hosting.issuer}/account/callback?state=other&code=x`);
    for (const { status, text } of [account.view, other]) {
      expect(status).toBe(400);
      expect(alerts(text)).toEqual([
        'This page has expired, or was opened in another browser, so nothing was done.',
      ]);
      expect(text).toContain('<a href="/account">Go back to your account</a>');
      expect(text).not.toContain('start again in the application');
    }
  });

  test('says why a sign-in has failed, and offers the next one', async () => {
    const { hosting } = await startWithProxy((path) => path.endsWith('/user'));
    const { status, text } = (await hosting.account()).view;
    expect(status).toBe(502);
    expect(alerts(text)).toHaveLength(1);
    expect(text).toContain('action="/account/sign-in"');
  });
});
