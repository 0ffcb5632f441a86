/** The page for a person who is not on the list, in Chromium. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { launchBrowser, noBrowser } from '../browser.helper.ts';
import { serveHttp } from '../local-server.helper.ts';
import { startWithClient } from './oauth-client.helper.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const axeResult = z.object({ violations: z.array(z.object({ id: z.string() })) });

describe.skipIf(noBrowser)('in a real browser a person who is not on the list', () => {
  it('can read their id at every width, and goes back to the application, which learns that nothing was allowed', async () => {
    const host = await serveHttp((_, response) => response.end('Back in the application.'));
    const { hosting, client } = await startWithClient(
      { allowedUsers: ['none'] },
      { redirect_uris: [`${host.url}/callback`] },
    );
    const page = await (await launchBrowser()).newPage();
    await page.goto(client.url().href);
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    const { email, password } = hosting.service.signIn;
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText(hosting.service.user.id).waitFor();
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [360, 800, 1_280]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 640 });
        expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
        await page.evaluate(axe);
        expect(axeResult.parse(await page.evaluate('axe.run()')).violations).toEqual([]);
      }
    await page.getByRole('link', { name: 'Go back to the application' }).click();
    await page.getByText('Back in the application.').waitFor();
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
  });
});
