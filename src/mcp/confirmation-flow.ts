/**
 * Asks the user to confirm a write before it is sent. A confirmation is valid for one caller, one tool, its arguments
 * and the preview that was shown. It counts once and for ten minutes. If the host supports elicitation, it asks the
 * user, in both protocol eras. Otherwise `confirm: true` counts after the caller got the question or a dry run.
 */
import { randomUUID } from 'node:crypto';
import {
  type ElicitRequestParams,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { withTimeLimit } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { BudgetError } from '../base/errors.ts';
import type { SharedStore } from '../store/shared-store.ts';
import { clientCapabilities, modernCapabilities } from './client-capabilities.ts';
import { CONFIRMATION_MS, type PendingConfirmation, PendingConfirmations } from './pending-confirmations.ts';

const KEY = 'confirmation';
/** An empty form. The user agrees by accepting it. */
const emptyForm: { type: 'object'; properties: Record<string, never> } = { type: 'object', properties: {} };

/** After so many questions the write is refused, because its preview changes each time. */
const MAX_QUESTIONS = 3;
/** No user can read a question in this time. A faster reply comes from the host itself. */
const MIN_HUMAN_REPLY_MS = 300;

/** The SDK measures time by a timer of its own, 60 s by default. The time limit here goes by the program's clock. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface ConfirmationQuestion {
  readonly text: string;
  /** A digest of all facts that the user decides by. */
  readonly preview: string;
}

export interface WriteToConfirm {
  readonly server: Server;
  readonly context: ServerContext;
  readonly caller: string;
  /** A digest of the tool and its arguments. */
  readonly call: string;
  readonly confirm: boolean | undefined;
  /** Creates the question from the current budget. */
  readonly createQuestion: () => Promise<ConfirmationQuestion>;
  /** Runs what asks a person. The host waits for the write from the reply on. */
  readonly whileAsking: <Reply>(ask: () => Promise<Reply>) => Promise<Reply>;
}

/** `failed` means that the host replied with an error, or with something that is no reply to a question. */
export type HostReply = 'accept' | 'decline' | 'cancel' | 'failed' | 'timed out';

interface RepliedQuestion {
  readonly reply?: HostReply | undefined;
  /** The id of the question. A host of the newer era repeats it, and may send any other text. */
  readonly id?: string | undefined;
  /** How many questions of this call there were, where the call still runs. */
  readonly count?: number;
}

const refusals: Readonly<Partial<Record<HostReply, string>>> = {
  decline: 'The host answered "decline".',
  cancel: 'The host answered "cancel".',
  'timed out': 'The host did not answer.',
};

/** Why `confirm: true` counts, although the host says that it can ask. A decline is final, however fast it is. */
const failedToAsk = 'The host could not ask: it answered the question with an error.';
const cancelledAtOnce =
  'The host could not ask: it answered "cancel" at once, before anyone could read the question.';
const noElicitation = 'This needs the agreement of the user, and this host cannot ask for it.';

export class ConfirmationFlow {
  readonly #clock: Clock;
  readonly #pending: PendingConfirmations;

  /** The store is opened by the first write that needs a confirmation. */
  constructor(clock: Clock, openStore: () => Promise<SharedStore>) {
    this.#clock = clock;
    this.#pending = new PendingConfirmations(openStore);
  }

  /** Allows `confirm: true` for this call of this caller. */
  permit(caller: string, call: string, { preview }: ConfirmationQuestion): Promise<void> {
    return this.#pending.issue(caller, call, preview);
  }

  /** True if the call comes with the answer to a question, or with `confirm: true` after its preview was shown. */
  async isAnswered({
    context,
    caller,
    call,
    confirm,
  }: Pick<WriteToConfirm, 'context' | 'caller' | 'call' | 'confirm'>): Promise<boolean> {
    if (readReply(context).id !== undefined) return true;
    return confirm === true && this.#pending.has(caller, call);
  }

  /**
   * Returns undefined if the write is confirmed. In the newer protocol era it may return a question, which becomes the
   * response to the request. Throws `not_confirmed`.
   */
  async obtain(write: WriteToConfirm): Promise<InputRequiredResult | undefined> {
    const { context, whileAsking } = write;
    let replied = readReply(context);
    while (true) {
      const next = await this.#nextQuestion(write, replied);
      if (!next) return undefined;
      const { message, id, count } = next;
      if (modernCapabilities(context) !== undefined)
        return inputRequired({
          inputRequests: { [KEY]: inputRequired.elicit({ message, requestedSchema: emptyForm }) },
          requestState: id,
        });
      const params = { mode: 'form', message, requestedSchema: emptyForm } as const;
      replied = { reply: await whileAsking(() => elicit(this.#clock, context, params)), id, count };
    }
  }

  /** Evaluates the reply to the last question. Returns the next question, or undefined if the write is confirmed. */
  async #nextQuestion(write: WriteToConfirm, { reply, id: repliedTo, count: asked }: RepliedQuestion) {
    const { server, context, caller, call, confirm, createQuestion } = write;
    const pending = this.#pending;
    const question = repliedTo === undefined ? undefined : await pending.consume(caller, repliedTo);
    const problem = this.#problemOfHost(reply, question);
    const refusal = reply && refusals[reply];
    if (refusal !== undefined && problem === undefined) {
      // A refusal also revokes the permission of an earlier question or dry run.
      await pending.consume(caller, call);
      throw new BudgetError('not_confirmed', refusal);
    }

    const current = await createQuestion();
    const isAboutCall = question?.call === call;
    const isAccepted = reply === 'accept' && isAboutCall;
    if (isAccepted && question.preview === current.preview) return undefined;
    const isPermitted = async () => (await pending.consume(caller, call))?.preview === current.preview;
    if (problem === undefined && confirm && (await isPermitted())) return undefined;
    const cannotAsk = problem ?? (canAsk(server, context) ? undefined : noElicitation);
    if (cannotAsk !== undefined) {
      await this.permit(caller, call, current);
      throw notConfirmedYet(cannotAsk, current);
    }
    const count = ((isAboutCall ? question.count : asked) ?? 0) + 1;
    if (count > MAX_QUESTIONS)
      throw new BudgetError(
        'not_confirmed',
        `The host was asked ${MAX_QUESTIONS} times. Each time its answer came too late, or the budget had changed since the question. The question is now:\n${current.text}\n`,
      );
    const id = randomUUID();
    await pending.issue(caller, id, current.preview, { call, count });
    const message = isAccepted ? `This has changed since the last question.\n${current.text}` : current.text;
    return { message, id, count };
  }

  /** Why the host could not ask. Undefined if its reply may be that of a user. */
  #problemOfHost(
    reply: HostReply | undefined,
    question: PendingConfirmation | undefined,
  ): string | undefined {
    if (question?.call === undefined) return undefined;
    if (reply === 'failed') return failedToAsk;
    const isAtOnce = this.#clock.monotonic() - question.at.monotonic < MIN_HUMAN_REPLY_MS;
    return reply === 'cancel' && isAtOnce ? cancelledAtOnce : undefined;
  }
}

/** The question counts only if it is pending for the caller. */
function readReply({ mcpReq }: ServerContext): RepliedQuestion {
  const { inputResponses, droppedInputResponseKeys, requestState } = mcpReq;
  const response = inputResponse(inputResponses, KEY);
  const state = requestState();
  const id = typeof state === 'string' ? state : undefined;
  if (response.kind === 'elicit') return { reply: response.action, id };
  const isOther = KEY in (inputResponses ?? {}) || droppedInputResponseKeys?.includes(KEY);
  return { reply: isOther ? 'failed' : undefined, id };
}

const notConfirmedYet = (reason: string, { text }: ConfirmationQuestion) =>
  new BudgetError(
    'not_confirmed',
    `${reason}\n${text}\nIf the user agrees in the chat, call again with the same arguments and confirm: true. That counts once, within ten minutes.`,
  );

/** Asks a host of the older era, which replies during the call, for as long as its reply would count. */
export async function elicit(
  clock: Clock,
  { mcpReq }: ServerContext,
  params: ElicitRequestParams,
): Promise<HostReply> {
  const { signal } = mcpReq;
  const late = new AbortController();
  const options = { timeout: LONGEST_TIMER_MS, signal: AbortSignal.any([signal, late.signal]) };
  const asked = mcpReq.send({ method: 'elicitation/create', params }, options).then(({ action }) => action);
  try {
    return await withTimeLimit<HostReply>(clock, CONFIRMATION_MS, asked, () => {
      late.abort();
      return 'timed out';
    });
  } catch (error) {
    if (signal.aborted) throw new BudgetError('cancelled', 'The call was cancelled.', { cause: error });
    const isInvalid = error instanceof SdkError && error.code === SdkErrorCode.InvalidResult;
    return isInvalid || error instanceof ProtocolError ? 'failed' : 'timed out';
  }
}

// An empty `elicitation: {}` means forms, which were the only kind in earlier protocol versions.
const formElicitation = z
  .object({ elicitation: z.looseObject({}) })
  .refine(({ elicitation }) => 'form' in elicitation || !('url' in elicitation));
/** Whether the host supports elicitation. Other hosts must not be asked. */
export function canAsk(server: Server, context: ServerContext): boolean {
  return formElicitation.safeParse(clientCapabilities(server, context)).success;
}
