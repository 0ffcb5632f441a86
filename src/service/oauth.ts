/**
 * OAuth 2.0 on the service's side, with both its grants (specification, Authentication): the applications, the codes
 * on their way to them, and what users have authorized. It knows the rules of the grants; how the user is asked is the
 * business of `oauth/authorize-route`, how a client speaks that of `oauth/token-route`. It must not know how a token is
 * sent to the service, or what it opens there.
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
