/**
 * The OAuth 2.0 server with both of its grants (docs/interface.md, Authentication): applications, authorization
 * codes, and what users have authorized. `oauth/authorize-route` shows the pages, and `oauth/token-route` answers
 * the clients. `access` checks the tokens of requests.
 *
 * For the operator: `applications.register`, an application's `restricted`, `authorizations.refreshReuses`.
 */
import { Applications } from './oauth/applications.ts';
import { AuthorizationCodes } from './oauth/authorization-codes.ts';
import { Authorizations, type AuthorizationsOptions } from './oauth/authorizations.ts';

export class OAuth {
  readonly applications = new Applications();
  readonly authorizations: Authorizations;
  readonly codes: AuthorizationCodes;

  constructor(options: AuthorizationsOptions) {
    this.authorizations = new Authorizations(options);
    this.codes = new AuthorizationCodes(this.authorizations, options.clock);
  }
}
