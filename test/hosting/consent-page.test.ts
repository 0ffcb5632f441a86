import fc from 'fast-check';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { type ConsentPage, consentPage, redirectHostOf } from '../../src/hosting/consent-page.ts';
import { forbidden, hostileText } from '../hostile-texts.helper.ts';

async function rendered(content: Partial<ConsentPage>): Promise<{ text: string; policy: string }> {
  const app = new Hono().get('/', (c) =>
    consentPage(c, {
      clientName: 'Assistant',
      verifiedHost: undefined,
      redirectUri: 'https://assistant.example/callback',
      scopes: ['budget:read', 'budget:write'],
      issuer: 'https://assistants.example',
      appUrl: 'https://app.budget.example',
      csrfToken: 'token',
      ...content,
    }),
  );
  const response = await app.request('/');
  return { text: await response.text(), policy: response.headers.get('content-security-policy') ?? '' };
}

describe('the page that asks for consent', () => {
  it('names the client, where it gets its access, what it may do and where the person signs in', async () => {
    const { text, policy } = await rendered({});
    expect(text).toContain('Allow &quot;Assistant&quot; to use your budgets?');
    expect(text).toContain('not verified: any application can use this name');
    expect(text).toContain('<dd>assistant.example</dd>');
    expect(text).toContain('change them: add, edit and delete transactions');
    expect(text).toContain('you sign in at app.budget.example');
    expect(policy).toContain("form-action 'self' https://app.budget.example https://assistant.example;");
  });

  it('names the server that asks', async () => {
    expect((await rendered({})).text).toContain('This is Budget MCP at <b>assistants.example</b>.');
  });

  it('lets no button stand out unless a host vouches for the client', async () => {
    const standingOut = async (content: Partial<ConsentPage>) =>
      [...(await rendered(content)).text.matchAll(/<button( class="main")? name="decision" value="([^"]*)"/g)]
        .filter(([, main]) => main)
        .map(([, , decision]) => decision);
    for (const scopes of [['budget:read'], ['budget:read', 'budget:write']] as const) {
      expect(await standingOut({ scopes: [...scopes] })).toEqual([]);
      expect(await standingOut({ scopes: [...scopes], verifiedHost: 'assistant.example' })).toEqual([
        scopes.length === 1 ? 'allow-reading' : 'allow',
      ]);
    }
  });

  it('names the host that vouches for the client', async () => {
    const { text } = await rendered({ verifiedHost: 'assistant.example' });
    expect(text).toContain('<dd>verified: assistant.example</dd>');
  });

  it.each([
    'https://assistant.example/callback?from=mcp',
    'http://127.0.0.1:33418/callback',
    'cursor://anysphere.cursor-mcp/oauth/callback',
  ])('shows the whole address %s', async (redirectUri) => {
    expect((await rendered({ redirectUri })).text).toContain(`>${redirectUri}</dd>`);
  });

  it('offers to allow reading only, and says what is asked for if that is all', async () => {
    expect((await rendered({})).text.match(/value="(allow|allow-reading|deny)"/g)).toEqual([
      'value="deny"',
      'value="allow-reading"',
      'value="allow"',
    ]);
    const { text } = await rendered({ scopes: ['budget:read'] });
    expect(text).toContain('to read your budgets?');
    expect(text).not.toContain('change them');
    expect(text.match(/value="(allow|allow-reading|deny)"/g)).toEqual([
      'value="deny"',
      'value="allow-reading"',
    ]);
  });

  it('shows any name as a quoted text on one line, in which nothing is invisible or markup', async () => {
    const name = fc.tuple(
      hostileText,
      fc.constantFrom('', '<b>', '</title><script>', '&quot;', "'"),
      hostileText,
    );
    await fc.assert(
      fc.asyncProperty(name, async (texts) => {
        const { text } = await rendered({ clientName: texts.join('') });
        const shown = /<dt>Application<\/dt>\n<dd>(.*)<\/dd>/.exec(text)?.[1] ?? '';
        expect(shown).toMatch(/^&quot;.*&quot;$/);
        expect(shown).not.toMatch(/[<>]/);
        expect(text).not.toMatch(forbidden);
        expect(text).not.toContain('<script');
      }),
    );
  });

  it('cuts a long name', async () => {
    const { text } = await rendered({ clientName: 'A'.repeat(200) });
    expect(text).not.toContain('A'.repeat(81));
  });
});

describe('where a redirect leads', () => {
  it.each([
    ['https://claude.ai/api/mcp/auth_callback', 'claude.ai'],
    ['https://app.example:8443/cb', 'app.example:8443'],
    ['http://127.0.0.1:33418/', 'this computer (127.0.0.1)'],
    ['http://localhost/callback', 'this computer (localhost)'],
    ['cursor://anysphere.cursor-mcp/oauth/callback', 'an app on this device (cursor://)'],
    ['com.example.app:/callback', 'an app on this device (com.example.app://)'],
    ['https://xn--pypal-4ve.com/cb', 'xn--pypal-4ve.com'],
  ])('of %s is shown as %s', (uri, text) => {
    expect(redirectHostOf(uri)).toBe(text);
  });
});
