/** The errors of OAuth 2.0 (RFC 6749, sections 4.1.2.1, 4.2.2.1 and 5.2). */

export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'access_denied';

/**
 * The client sees `message` as `error_description`. It must be ASCII without quotes, and must not contain values of
 * the request.
 */
export class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly code: OAuthErrorCode;

  constructor(code: OAuthErrorCode, description: string) {
    super(description);
    this.code = code;
  }

  /** `{error, error_description}`, as parameters of a redirect or as a response body. */
  get parameters() {
    return { error: this.code, error_description: this.message };
  }
}
