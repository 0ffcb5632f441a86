/** The pages in Chromium, which enforces their content security policy. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { noBrowser, openBrowser } from '../browser.helper.ts';
import { serveHttp } from '../local-server.helper.ts';
import { pageFaults } from '../page-faults.helper.ts';
import { type Hosting, startHosting } from './hosting.helper.ts';
import { OAuthClient, tokensOf } from './oauth-client.helper.ts';

async function start() {
  const hosting = await startHosting();
  const host = await serveHttp((_, response) => response.end('Back in the application.'));
  const client = await OAuthClient.register(hosting, {
    client_name: 'My assistant',
    redirect_uris: [`${host.url}/callback`],
  });
  const page = await (await openBrowser()).newPage();
  const refused: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') refused.push(message.text());
  });
  return { hosting, client, page, refused };
}

async function signInUpstream(hosting: Hosting, page: Page): Promise<void> {
  const { email, password } = hosting.service.signIn;
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

describe.skipIf(noBrowser)('in a real browser a person', () => {
  it.each([
    ['Allow', 'budget:read budget:write'],
    ['Allow reading only', 'budget:read'],
  ])('presses %s, signs in, and is back in the application, which gets %s', async (button, scope) => {
    const { hosting, client, page, refused } = await start();
    await page.goto(client.url().href);
    await page.getByRole('button', { name: button, exact: true }).click();
    await signInUpstream(hosting, page);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('Back in the application.').waitFor();
    const code = new URL(page.url()).searchParams.get('code') ?? '';
    expect(tokensOf(await client.exchange(code)).scope).toBe(scope);
    expect(refused).toEqual([]);
  });

  it('who has signed in with the budgeting service before only decides', async () => {
    const { hosting, client, page, refused } = await start();
    for (const isFirst of [true, false]) {
      await page.goto(client.url().href);
      await page.getByRole('button', { name: 'Allow', exact: true }).click();
      if (isFirst) await signInUpstream(hosting, page);
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.getByText('Back in the application.').waitFor();
    }
    expect(refused).toEqual([]);
  });

  it('presses Deny, and is back in the application, which learns it', async () => {
    const { client, page, refused } = await start();
    await page.goto(client.url().href);
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('Back in the application.').waitFor();
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
    expect(refused).toEqual([]);
  });

  it('cannot be shown the page in a frame of another site', async () => {
    const { client, page } = await start();
    const site = await serveHttp((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<iframe src="${client.url().href.replaceAll('&', '&amp;')}"></iframe>`);
    });
    await page.goto(site.url);
    await page.waitForLoadState('networkidle');
    const texts = await Promise.all(page.frames().map((frame) => frame.content()));
    expect(texts.join()).not.toContain('name="decision"');
  });

  it.each(['light', 'dark'] as const)(
    'can use the page whatever they see of it, in %s colours',
    async (scheme) => {
      const { client, page } = await start();
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width: 320, height: 640 });
      await page.goto(client.url().href);
      expect(await pageFaults(page)).toEqual([]);
    },
  );
});
