/**
 * `POST /oauth/token`: tokens for an authorization code or a refresh token (docs/interface.md, Authorization code
 * grant; RFC 6749, sections 2.3 and 5). The errors are those of OAuth, not those of the service's table.
 */
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { auth as basicCredentials } from 'hono/utils/basic-auth';
import type { OAuth } from '../oauth.ts';
import type { Application, Credentials } from './applications.ts';
import type { RefreshableTokenResponse } from './authorizations.ts';
import { OAuthError } from './oauth-error.ts';

type Parameters = ReadonlyMap<string, string>;

export function tokenRoute(oauth: OAuth): Hono {
  const route = new Hono();

  route.use('/oauth/token', async (c, next) => {
    c.header('Cache-Control', 'no-store');
    c.header('Pragma', 'no-cache');
    await next();
  });

  route.post('/oauth/token', bodyLimit({ maxSize: 65_536, onError: tooLarge }), async (c) => {
    const parameters = await readParameters(c);
    const application = authenticateClient(c, parameters, oauth);
    return c.json(tokensFor(application, parameters, oauth));
  });

  route.onError((error, c) => {
    if (!(error instanceof OAuthError)) throw error;
    if (error.code !== 'invalid_client') return c.json(error.parameters, 400);
    c.header('WWW-Authenticate', 'Basic realm="oauth"');
    return c.json(error.parameters, 401);
  });

  return route;
}

function tokensFor(
  application: Application,
  parameters: Parameters,
  { codes, authorizations }: OAuth,
): RefreshableTokenResponse {
  const grantType = required(parameters, 'grant_type');
  if (grantType === 'authorization_code') {
    return codes.redeem(application, {
      code: required(parameters, 'code'),
      redirectUri: required(parameters, 'redirect_uri'),
      codeVerifier: parameters.get('code_verifier'),
    });
  }
  if (grantType === 'refresh_token') {
    return authorizations.refresh(application, required(parameters, 'refresh_token'));
  }
  throw new OAuthError(
    'unsupported_grant_type',
    'The grant_type must be authorization_code or refresh_token.',
  );
}

/** The parameters of form and query. A parameter that occurs in both must have the same value. */
async function readParameters(c: Context): Promise<Parameters> {
  const form = Object.entries(await c.req.parseBody({ all: true }).catch(() => ({})));
  const parameters = new Map<string, string>();
  for (const [name, values] of [...Object.entries(c.req.queries()), ...form]) {
    for (const value of [values].flat()) {
      if (value === '') continue;
      if (typeof value !== 'string' || (parameters.get(name) ?? value) !== value) {
        throw new OAuthError('invalid_request', 'A parameter is given more than once or as a file.');
      }
      parameters.set(name, value);
    }
  }
  return parameters;
}

function required(parameters: Parameters, name: string): string {
  const value = parameters.get(name);
  if (value === undefined) throw new OAuthError('invalid_request', `The parameter ${name} is missing.`);
  return value;
}

function authenticateClient(c: Context, parameters: Parameters, { applications }: OAuth): Application {
  const credentials = presentedCredentials(c, parameters);
  const application = credentials && applications.authenticate(credentials);
  if (!application) throw new OAuthError('invalid_client', 'The client id or the client secret is wrong.');
  return application;
}

/**
 * The client id and secret of the header or of the parameters. A client must not use both (RFC 6749, section 2.3).
 */
function presentedCredentials(c: Context, parameters: Parameters): Credentials | undefined {
  const [clientId, clientSecret] = [parameters.get('client_id'), parameters.get('client_secret')];
  if (c.req.header('Authorization') === undefined) {
    return clientId !== undefined && clientSecret !== undefined ? { clientId, clientSecret } : undefined;
  }
  const basic = basicCredentials(c.req.raw);
  if (!basic) return undefined;
  const inHeader = { clientId: formDecode(basic.username), clientSecret: formDecode(basic.password) };
  if (clientSecret !== undefined || (clientId ?? inHeader.clientId) !== inHeader.clientId) {
    throw new OAuthError('invalid_request', 'The client authenticates in two ways at once.');
  }
  return inHeader;
}

/** In the header, id and secret are form-encoded (RFC 6749, section 2.3.1). */
const formDecode = (text: string) => new URLSearchParams(`_=${text.replaceAll('&', '%26')}`).get('_') ?? '';

const tooLarge = (c: Context) =>
  c.json(new OAuthError('invalid_request', 'The body of the request is too large.').parameters, 413);
