/** The page for a person who is not on the list, in Chromium. */
import { describe, expect, it } from 'vitest';
import { noBrowser, openBrowser } from '../browser.helper.ts';
import { serveHttp } from '../local-server.helper.ts';
import { inEveryLook } from '../page-faults.helper.ts';
import { startWithClient } from './oauth-client.helper.ts';

describe.skipIf(noBrowser)('in a real browser a person who is not on the list', () => {
  it('can read their id at every width, and goes back to the application, which learns that nothing was allowed', async () => {
    const host = await serveHttp((_, response) => response.end('Back in the application.'));
    const { hosting, client } = await startWithClient(
      { allowedUsers: ['none'] },
      { redirect_uris: [`${host.url}/callback`] },
    );
    const page = await (await openBrowser()).newPage();
    await page.goto(client.url().href);
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    const { email, password } = hosting.service.signIn;
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText(hosting.service.user.id).waitFor();
    await inEveryLook(page, async (look, faultsIn) => expect(await faultsIn(page), look).toEqual([]));
    await page.getByRole('link', { name: 'Go back to the application' }).click();
    await page.getByText('Back in the application.').waitFor();
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
  });
});
