/** The errors of OAuth 2.0 (RFC 6749, sections 4.1.2.1, 4.2.2.1 and 5.2), wherever they are told to a client. */

export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'access_denied';

/** `message` is shown to the client as `error_description`: ASCII without quotes, and nothing that a request brought. */
export class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly code: OAuthErrorCode;

  constructor(code: OAuthErrorCode, description: string) {
    super(description);
    this.code = code;
  }

  /** `{error, error_description}`, the parameters or the body that tell it. */
  get parameters() {
    return { error: this.code, error_description: this.message };
  }
}
