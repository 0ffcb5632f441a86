import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyClientRules, refusalOfRedirectUri } from '../../src/hosting/client-rules.ts';

describe('a redirect URI may be registered', () => {
  it.each([
    'https://claude.ai/api/mcp/auth_callback',
    'https://app.example:8443/cb?from=mcp',
    'http://127.0.0.1/callback',
    'http://127.0.0.1:33418/',
    'http://[::1]:5000/callback',
    'http://localhost:6274/oauth/callback/debug',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'vscode://vscode.github-authentication/did-authenticate',
    'vscode-insiders://anything/callback',
    'vscode://saoudrizwan.claude-dev/mcp-auth/callback/0a1b2c',
    'warp://mcp/oauth2callback',
    'com.example.app:/oauth/callback',
    'com.raycast:/oauth?package_name=Extension',
  ])('if it is %s', (uri) => {
    expect(refusalOfRedirectUri(uri)).toBeUndefined();
  });
});

describe('a redirect URI may not be registered', () => {
  it.each([
    ['http://app.example/cb', 'must use https'],
    ['http://10.0.0.1/cb', 'must use https'],
    ['http://127.0.0.2/cb', 'must use https'],
    ['http://0.0.0.0/cb', 'must use https'],
    ['http://localhost.evil.example/cb', 'must use https'],
    ['https://localhost/cb', 'must use http for a loopback address'],
    ['https://app.example/cb#', 'fragment'],
    ['https://user@app.example/cb', 'user name'],
    ['https://:password@app.example/cb', 'user name'],
    ['https://app.example\\@evil.example/cb', 'visible ASCII'],
    ['https://app.example/c b', 'visible ASCII'],
    ['https://app.example/cb\n', 'visible ASCII'],
    ['https://аpp.example/cb', 'visible ASCII'],
    ['/callback', 'visible ASCII'],
    ['', 'visible ASCII'],
    ['javascript://app.example/%0aalert(1)', 'the scheme of an app'],
    ['data:text/html,<script>', 'the scheme of an app'],
    ['file:///etc/passwd', 'the scheme of an app'],
    ['intent://scan/#Intent', 'fragment'],
    ['ms-msdt:/id', 'the scheme of an app'],
    ['view-source:https://app.example', 'the scheme of an app'],
    ['mailto:a@b.example', 'the scheme of an app'],
    ['ws://app.example', 'the scheme of an app'],
    ['microsoft-edge:https://evil.example/cb', 'the scheme of an app'],
    ['googlechrome://evil.example/cb', 'the scheme of an app'],
    ['googlechromes://evil.example/cb', 'the scheme of an app'],
    ['firefox://open-url?url=evil.example', 'the scheme of an app'],
    ['x-safari-https://evil.example/cb', 'the scheme of an app'],
    ['x-apple.systempreferences:evil', 'the scheme of an app'],
    ['web+mastodon://evil.example/cb', 'the scheme of an app'],
    ['feed:https://evil.example/cb', 'the scheme of an app'],
    ['tg://resolve?domain=evil', 'the scheme of an app'],
    ['unknown-app://callback', 'the scheme of an app'],
    ['com.example.browser:https://evil.example/cb', 'another address'],
    ['cursor://a/open?url=HTTPS://evil.example', 'another address'],
    ['vscode://a/open?url=%68ttps://evil.example', 'another address'],
    [`https://app.example/${'a'.repeat(1_000)}`, 'shorter'],
  ])('if it is %s', (uri, reason) => {
    expect(refusalOfRedirectUri(uri)).toContain(reason);
  });
});

describe('a redirect URI that may be registered', () => {
  it('leads where its text says, whatever the text is', () => {
    const text = fc.oneof(fc.webUrl({ withFragments: true, withQueryParameters: true }), fc.string());
    fc.assert(
      fc.property(text, (uri) => {
        fc.pre(refusalOfRedirectUri(uri) === undefined);
        const { hostname, href } = new URL(uri);
        expect(uri.toLowerCase()).toContain(hostname);
        expect(href).not.toContain('#');
      }),
    );
  });
});

describe('the metadata of a client', () => {
  it('keep only what is used', () => {
    const metadata: Record<string, unknown> = {
      client_id: 'id',
      client_secret: 'secret',
      client_name: 'Name',
      redirect_uris: ['https://app.example/cb'],
      jwks_uri: 'https://127.0.0.1/',
      logo_uri: 'https://127.0.0.1/',
      sector_identifier_uri: 'https://127.0.0.1/',
      scope: 'email',
      subject_type: 'pairwise',
      token_endpoint_auth_method: 'client_secret_basic',
    };
    applyClientRules(metadata);
    expect(metadata).toEqual({
      application_type: 'native',
      client_id: 'id',
      client_name: 'Name',
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: ['https://app.example/cb'],
      response_modes: ['query'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
  });

  it('stay as they are if the rules are applied again', () => {
    const metadata: Record<string, unknown> = {
      redirect_uris: ['cursor://a/b'],
      grant_types: ['authorization_code'],
    };
    applyClientRules(metadata);
    const once = structuredClone(metadata);
    applyClientRules(metadata);
    expect(metadata).toEqual(once);
    expect(once['grant_types']).toEqual(['authorization_code']);
  });

  it.each([
    ['no redirect URI', { redirect_uris: [] }],
    ['too many redirect URIs', { redirect_uris: Array.from({ length: 11 }, () => 'https://app.example/cb') }],
    ['one that is no text', { redirect_uris: [1] }],
    ['a name of more than 200 characters', { redirect_uris: ['cursor://a/b'], client_name: 'a'.repeat(201) }],
  ])('are refused with %s', (_, metadata) => {
    expect(() => applyClientRules(metadata)).toThrow(/invalid_/);
  });

  it('keep a method of authentication that needs a key, which is then refused', () => {
    const metadata: Record<string, unknown> = {
      redirect_uris: ['cursor://a/b'],
      token_endpoint_auth_method: 'private_key_jwt',
    };
    applyClientRules(metadata);
    expect(metadata['token_endpoint_auth_method']).toBe('private_key_jwt');
  });
});
