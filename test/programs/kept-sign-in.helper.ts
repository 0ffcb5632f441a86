/** The sign-in that the host of a client keeps. The official clients of both eras use it to get new tokens. */
import type { Tokens } from './sign-in-pages.helper.ts';

type KeptTokens = Omit<Tokens, 'refresh_token' | 'scope' | 'expires_in'> & {
  refresh_token?: string | undefined;
  issuer?: string | undefined;
};

export class KeptSignIn {
  readonly redirectUrl = 'http://127.0.0.1/callback';
  readonly #client: { readonly client_id: string; readonly issuer: string };
  #tokens: KeptTokens;
  #verifier = '';

  constructor(issuer: string, clientId: string, tokens: Tokens) {
    this.#client = { client_id: clientId, issuer };
    this.#tokens = { ...tokens, issuer };
  }

  get clientMetadata() {
    return { client_name: 'Test host', redirect_uris: [this.redirectUrl] };
  }

  clientInformation() {
    return { ...this.#client };
  }

  tokens() {
    return { ...this.#tokens };
  }

  saveTokens(tokens: KeptTokens): void {
    this.#tokens = tokens;
  }

  /** The access token is not valid any more. */
  expire(): void {
    this.#tokens = { ...this.#tokens, access_token: 'expired' };
  }

  /** The client calls this if it could not get new tokens. The person does not sign in again. */
  redirectToAuthorization(): void {}

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }
}
