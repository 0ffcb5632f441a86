/** The part of oidc-provider that this program uses. The package contains no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  export interface Adapter {
    upsert(
      id: string,
      payload: Readonly<Record<string, unknown>>,
      expiresIn: number | undefined,
    ): Promise<void>;
    find(id: string): Promise<Readonly<Record<string, unknown>> | undefined>;
    findByUid(uid: string): Promise<undefined>;
    findByUserCode(userCode: string): Promise<undefined>;
    consume(id: string): Promise<void>;
    destroy(id: string): Promise<void>;
    revokeByGrantId(grantId: string): Promise<void>;
  }

  export interface Client {
    readonly clientId: string;
    readonly clientName?: string;
    readonly redirectUris: readonly string[];
    /** Whether its metadata come from the document that its id is the address of. */
    readonly clientIdMetadataDocument?: true;
    grantTypeAllowed(type: string): boolean;
    redirectUriAllowed(uri: string): boolean;
  }

  export interface Interaction {
    readonly uid: string;
    readonly params: Readonly<Record<string, unknown>>;
    /** Where the browser goes with the result. */
    readonly returnTo: string;
    result?: object;
    /** Saves it for the rest of its time. */
    persist(): Promise<void>;
  }

  export interface Context {
    readonly path: string;
    query: Record<string, string | string[] | undefined>;
    type: string;
    body: unknown;
    status: number;
    set(name: string, value: string): void;
    readonly oidc: {
      readonly provider: Provider;
      readonly session: { destroyed: boolean };
      readonly result?: Readonly<Record<string, unknown>>;
      /** Of the request. Undefined until they were read. */
      readonly params?: Readonly<Record<string, unknown>>;
      readonly client?: Client;
      /** Has the interaction that was begun before, where the browser comes back from it. */
      readonly entities: { readonly Interaction?: Interaction };
    };
  }

  /** The parameters of an answer with an error. */
  export type ErrorOut = { readonly error: string } & {
    readonly [name in 'error_description' | 'iss' | 'scope' | 'state']?: string;
  };

  interface Model {
    /** Of the class: the kind of its records. */
    readonly name: string;
  }

  export class Provider {
    constructor(issuer: string, configuration: object);
    proxy: boolean;
    readonly AccessToken: Model;
    readonly AuthorizationCode: Model;
    readonly Client: Model & { find(id: string): Promise<Client | undefined> };
    readonly Grant: Model & { find(id: string): Promise<unknown> };
    readonly Interaction: Model & { find(uid: string): Promise<Interaction | undefined> };
    readonly RefreshToken: Model;
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    use(middleware: (context: Context, next: () => Promise<void>) => Promise<void>): void;
    /** Before an authorization request is answered with the error: by a redirect if `allow_redirect`, else by `renderError`. */
    on(
      event: 'authorization.error',
      listener: (context: Context, error: { allow_redirect: boolean }) => void,
    ): void;
    on(event: 'authorization.success', listener: (context: Context) => void): void;
    on(event: 'error', listener: (error: Error) => void): void;
    /** After the answer of a token request with an error was made. */
    on(event: 'grant.error', listener: (context: Context, error: Error) => void): void;
    on(event: 'server_error', listener: (context: Context, error: Error) => void): void;
  }

  export class Check {
    constructor(reason: string, description: string, check: (context: Context) => boolean);
  }

  export class Prompt {
    constructor(options: { name: string; requestable: boolean }, ...checks: Check[]);
  }

  export interface Policy {
    clear(): void;
    add(prompt: Prompt): void;
  }

  export const interactionPolicy: {
    base(): Policy;
    readonly Check: typeof Check;
    readonly Prompt: typeof Prompt;
  };

  interface ErrorConstructor {
    new (description?: string): Error;
  }

  export const errors: {
    /** Every error that belongs to the answer of a request. */
    readonly OIDCProviderError: ErrorConstructor;
    readonly InvalidGrant: ErrorConstructor;
    readonly InvalidTarget: ErrorConstructor;
    readonly InvalidClientMetadata: ErrorConstructor;
  };
}
