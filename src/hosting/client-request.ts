/** The request of a client, on which a person decides: who asks, for what, and where the answer goes. */
import { errors, type Interaction, type Provider } from 'oidc-provider';
import { z } from 'zod';
import { requestedScopes, type Scope } from './scopes.ts';

export interface ClientRequest {
  readonly interaction: Interaction;
  readonly clientId: string;
  readonly clientName: string;
  /** The host that vouches for the client with its metadata document. Undefined if the client has registered itself. */
  readonly verifiedHost: string | undefined;
  readonly redirectUri: string;
  readonly scopes: Scope[];
}

const paramsSchema = z.object({
  client_id: z.string(),
  redirect_uri: z.string(),
  scope: z.string().optional(),
});

/** Undefined if it has expired, or if the metadata document of its client cannot be loaded any more. */
export async function findRequest(provider: Provider, uid: string): Promise<ClientRequest | undefined> {
  const interaction = await provider.Interaction.find(uid);
  const { data: params } = paramsSchema.safeParse(interaction?.params);
  const client = params && (await findClient(provider, params.client_id));
  if (!interaction || !client) return undefined;
  const verifiedHost =
    client['clientIdMetadataDocument'] === true ? new URL(client.clientId).host : undefined;
  return {
    interaction,
    clientId: client.clientId,
    clientName: client.clientName ?? verifiedHost ?? 'An application without a name',
    verifiedHost,
    redirectUri: params.redirect_uri,
    scopes: requestedScopes(params.scope),
  };
}

const findClient = (provider: Provider, id: string) =>
  provider.Client.find(id).catch((error: unknown) => {
    if (error instanceof errors.OIDCProviderError) return undefined;
    throw error;
  });
