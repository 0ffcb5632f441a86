/** The capabilities that the host has named: with each request in the newer protocol era, else at the start of the session. */
import { CLIENT_CAPABILITIES_META_KEY, type Server, type ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';

const envelopeSchema = z.object({ [CLIENT_CAPABILITIES_META_KEY]: z.unknown() });

/** Undefined in the older era. */
export const modernCapabilities = ({ mcpReq }: ServerContext): unknown =>
  envelopeSchema.safeParse(mcpReq.envelope).data?.[CLIENT_CAPABILITIES_META_KEY];

export const clientCapabilities = (server: Server, context: ServerContext): unknown =>
  modernCapabilities(context) ?? server.getClientCapabilities();
