/**
 * Asking the person before something is written. Where the host can ask, it does, in both protocol eras; where it
 * cannot, the model has to say `confirm: true`, after it was told what it is about.
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { BudgetError } from '../errors.ts';

const KEY = 'confirmation';
/** Nothing to fill in: to accept is to agree. */
const form = { type: 'object', properties: {} } as const;

export interface Confirmation {
  readonly server: McpServer;
  readonly context: ServerContext;
  /** What the model said for itself. */
  readonly confirm: boolean | undefined;
  /** The question, in words. */
  readonly ask: () => Promise<string>;
}

/** Undefined when it may go on; else what to answer the host with. Throws `not_confirmed`. */
export async function confirmation(parts: Confirmation): Promise<InputRequiredResult | undefined> {
  const { server, context, confirm, ask } = parts;
  const answered = inputResponse(context.mcpReq.inputResponses, KEY);
  if (answered.kind === 'elicit') {
    if (answered.action === 'accept') return undefined;
    const what = answered.action === 'decline' ? 'said no' : 'gave no answer';
    throw new BudgetError('not_confirmed', `The user was asked and ${what}.`);
  }
  if (canAsk(server, context))
    return inputRequired({
      inputRequests: { [KEY]: inputRequired.elicit({ message: await ask(), requestedSchema: form }) },
    });
  if (confirm) return undefined;
  throw new BudgetError(
    'not_confirmed',
    `The user has to agree to this first:\n${await ask()}\nOnce they have agreed, call again with confirm: true.`,
  );
}

// A bare `elicitation: {}` means forms, as it did before there were others.
const canElicit = z
  .object({ elicitation: z.looseObject({}) })
  .refine(({ elicitation }) => 'form' in elicitation || !('url' in elicitation));
const envelopeSchema = z.object({ [CLIENT_CAPABILITIES_META_KEY]: z.unknown() });

/** A host that did not say that it can must not be asked. */
function canAsk({ server }: McpServer, { mcpReq }: ServerContext): boolean {
  const modern = envelopeSchema.safeParse(mcpReq.envelope).data?.[CLIENT_CAPABILITIES_META_KEY];
  return canElicit.safeParse(modern ?? server.getClientCapabilities()).success;
}
