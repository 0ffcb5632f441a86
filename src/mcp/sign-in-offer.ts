/**
 * Offers a page for signing in to a host that can open one, where a call lacks a sign-in. The person enters the token
 * there, so that neither the host nor its model gets it. This file knows neither tokens nor pages.
 */
import { randomUUID } from 'node:crypto';
import {
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { withTimeLimit } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import type { ErrorCode } from '../base/errors.ts';
import { clientCapabilities, modernCapabilities } from './client-capabilities.ts';
import { elicit, type HostReply } from './confirmation-flow.ts';

const KEY = 'sign_in';

/** How long a call waits for a person who signs in. */
const WAIT_MS = 10_000;

/** The call may succeed after signing in. Without a keychain the person may agree to a file. */
const LACKING: ReadonlySet<string | undefined> = new Set<ErrorCode>([
  'not_signed_in',
  'sign_in_ended',
  'keychain_unavailable',
]);

export interface SignInOffer {
  readonly clock: Clock;
  readonly pages: {
    /** The address of a page of this machine. */
    open(): Promise<string>;
    /** Resolves when no page is open: the person has signed in, has cancelled, or took too long. */
    ended(): Promise<void>;
  };
}

/** The result of a call, with the code of its error if it has failed. */
export interface CallOutcome {
  readonly result: CallToolResult | InputRequiredResult;
  readonly failure?: string | undefined;
}

const MESSAGE =
  'Sign in to your budgeting service, on a page of this computer. The token that you enter there does not get to the assistant.';

const notes: Readonly<Record<HostReply, string>> = {
  accept: 'The host has opened a page for signing in. When the user has signed in there, call again.',
  decline: 'The host answered "decline" to the offer of a page for signing in.',
  cancel: 'The host answered "cancel" to the offer of a page for signing in.',
  failed: 'No page for signing in could be opened.',
  'timed out': 'The host did not answer the offer of a page for signing in.',
};

/** A call goes on if the person signs in within ten seconds. Otherwise its error says what was offered. */
export async function withSignIn(
  { clock, pages }: SignInOffer,
  server: Server,
  context: ServerContext,
  run: () => Promise<CallOutcome>,
): Promise<CallOutcome> {
  const untilEnded = () => withTimeLimit(clock, WAIT_MS, pages.ended(), () => {}, true);

  // Hosts of the newer era repeat the request with their reply.
  let reply = replyIn(context);
  if (reply === 'accept') await untilEnded();
  let outcome = await run();
  if (LACKING.has(outcome.failure) && reply === undefined && canOpenPages(server, context)) {
    const url = await pages.open().catch(() => undefined);
    if (url !== undefined && modernCapabilities(context) !== undefined) {
      const inputRequests = { [KEY]: inputRequired.elicitUrl({ message: MESSAGE, url }) };
      return { result: inputRequired({ inputRequests }) };
    }
    const params = { mode: 'url', message: MESSAGE, elicitationId: randomUUID() } as const;
    // Without a page, the answer has the command for a terminal.
    reply = url === undefined ? 'failed' : await elicit(clock, context, { ...params, url });
    if (reply === 'accept') {
      await untilEnded();
      outcome = await run();
    }
  }
  const { result, failure } = outcome;
  if (reply === undefined || !LACKING.has(failure) || !hasContent(result)) return outcome;
  const content = [...result.content, { type: 'text' as const, text: notes[reply] }];
  return { result: { ...result, content }, failure };
}

const hasContent = (result: CallToolResult | InputRequiredResult): result is CallToolResult =>
  Array.isArray(result['content']);

function replyIn({ mcpReq: { inputResponses } }: ServerContext): HostReply | undefined {
  const response = inputResponse(inputResponses, KEY);
  if (response.kind === 'elicit') return response.action;
  return KEY in (inputResponses ?? {}) ? 'failed' : undefined;
}

const urlElicitation = z.object({ elicitation: z.object({ url: z.looseObject({}) }) });

/** Other hosts must not be asked to. */
const canOpenPages = (server: Server, context: ServerContext): boolean =>
  urlElicitation.safeParse(clientCapabilities(server, context)).success;
