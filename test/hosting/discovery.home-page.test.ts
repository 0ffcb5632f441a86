import { describe, expect, test } from 'vitest';
import { startComposed } from './composed.helper.ts';

describe('the root of a hosted server', () => {
  test('says to a person what this is and leads to their account', async () => {
    const hosting = await startComposed();
    const { status, text, headers } = await hosting.browser().open(hosting.issuer);
    expect(status).toBe(200);
    expect(text).toContain('lets AI assistants read and keep your budgets');
    expect(text).toContain(`<code>${hosting.issuer}/mcp</code>`);
    expect(text).toContain('href="/account"');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  test.each(['application/json', '*/*', undefined])(
    'answers JSON to a client that accepts %s',
    async (accept) => {
      const hosting = await startComposed();
      const response = await fetch(hosting.issuer, { headers: accept === undefined ? {} : { accept } });
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ error: { message: 'The server is at /mcp.' } });
    },
  );
});
