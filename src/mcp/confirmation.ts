/**
 * Consent to a write before it is carried out. Consent is bound to the caller, the tool, its arguments and what the
 * preview showed; it counts once and for ten minutes. A host that can ask is asked, in both protocol eras. Where it
 * cannot ask, `confirm: true` counts after the caller was given the question or a dry run.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type McpServer,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { BudgetError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import { CONFIRMATION_MS, Confirmations, type Issued } from './confirmations.ts';

const KEY = 'confirmation';
/** Nothing to fill in: to accept is to agree. */
const form: { type: 'object'; properties: Record<string, never> } = { type: 'object', properties: {} };

/** What changes each time it is asked about cannot be agreed to. */
const MAX_QUESTIONS = 3;
/** No person reads a question in this time: the host has answered by itself. */
const AT_ONCE_MS = 300;

/** The SDK measures time by a timer of its own, and by 60 s unless told otherwise. The time limit here is the clock's. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** What a write would do, as a question to a person and as a digest of all that it is judged by. */
export interface ConsentQuestion {
  readonly text: string;
  readonly preview: string;
}

export interface PendingWrite {
  readonly server: McpServer;
  readonly context: ServerContext;
  readonly caller: string;
  /** A digest of the tool and its arguments. */
  readonly call: string;
  readonly confirm: boolean | undefined;
  /** Looks up how things are now. */
  readonly preview: () => Promise<ConsentQuestion>;
}

/** A question that was put to the host. */
interface Asked {
  readonly id: string;
  readonly call: string;
  readonly preview: string;
  /** How often the host was asked about this call, this time included. */
  readonly count: number;
}

/** `failed`: the host answered with an error. */
type HostAnswer = 'accept' | 'decline' | 'cancel' | 'failed' | 'timed out';

interface Reply {
  readonly answer?: HostAnswer | undefined;
  readonly asked?: Asked | undefined;
}

const refusals: Readonly<Partial<Record<HostAnswer, string>>> = {
  decline: 'The host answered "decline".',
  cancel: 'The host answered "cancel".',
  'timed out': 'The host did not answer.',
};

export class Consents {
  readonly #clock: Clock;
  readonly #confirmations: Confirmations;
  /** The key lives as long as the process, and so does the store of unanswered questions. */
  readonly #codec = createRequestStateCodec<Asked>({
    key: randomBytes(32),
    ttlSeconds: CONFIRMATION_MS / 1_000,
  });

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#confirmations = new Confirmations(clock);
  }

  /** From now on `confirm: true` counts for this call of this caller. */
  permit(caller: string, call: string, { preview }: ConsentQuestion): void {
    this.#confirmations.issue(caller, call, preview);
  }

  /**
   * Gives undefined when the write may be carried out. In the newer era it may give a question, which is the answer to
   * the request. Throws `not_confirmed`.
   */
  async obtain(write: PendingWrite): Promise<InputRequiredResult | undefined> {
    const { context } = write;
    let reply = await this.#replyIn(context);
    while (true) {
      const question = await this.#judge(write, reply);
      if (!question) return undefined;
      const { message, asked } = question;
      if (modernCapabilities(context) !== undefined)
        return inputRequired({
          inputRequests: { [KEY]: inputRequired.elicit({ message, requestedSchema: form }) },
          requestState: await this.#codec.mint(asked),
        });
      reply = { answer: await elicit(this.#clock, context, message), asked };
    }
  }

  /** The host sends both: only a question that this process has signed is one that was asked. */
  async #replyIn(context: ServerContext): Promise<Reply> {
    const { inputResponses, requestState } = context.mcpReq;
    const response = inputResponse(inputResponses, KEY);
    const answer = response.kind === 'elicit' ? response.action : undefined;
    const state = requestState();
    if (typeof state !== 'string') return { answer };
    return { answer, asked: await this.#codec.verify(state, context).catch(() => undefined) };
  }

  /** Gives what the host is to be asked, if anything. */
  async #judge(write: PendingWrite, { answer, asked }: Reply) {
    const { server, context, caller, call, confirm, preview } = write;
    const open = asked && this.#confirmations.consume(caller, asked.id);
    const couldNotAsk = answer === 'failed' || (answer === 'cancel' && this.#isAtOnce(open));
    const refusal = answer && refusals[answer];
    if (refusal !== undefined && !couldNotAsk) {
      // A refusal also takes back what an earlier question or dry run had permitted.
      this.#confirmations.consume(caller, call);
      throw new BudgetError('not_confirmed', refusal);
    }

    const now = await preview();
    const isAnswered = answer === 'accept' && open !== undefined && asked?.call === call;
    if (isAnswered && asked.preview === now.preview) return undefined;
    if (couldNotAsk) {
      this.permit(caller, call, now);
      throw withoutHost('The host could not ask: it answered with an error or at once.', now);
    }
    if (confirm && this.#confirmations.consume(caller, call)?.preview === now.preview) return undefined;
    if (!canAsk(server, context)) {
      this.permit(caller, call, now);
      throw withoutHost('This needs the consent of the user first.', now);
    }
    const count = asked?.call === call ? asked.count + 1 : 1;
    if (count > MAX_QUESTIONS)
      throw new BudgetError(
        'not_confirmed',
        `The host was asked ${MAX_QUESTIONS} times. Each time its answer came too late, or the budget had changed since the question. The question is now:\n${now.text}\n`,
      );
    const id = randomUUID();
    this.#confirmations.issue(caller, id, now.preview);
    return {
      message: isAnswered ? `This has changed since the last question.\n${now.text}` : now.text,
      asked: { id, call, preview: now.preview, count },
    };
  }

  #isAtOnce(open: Issued | undefined): boolean {
    return open !== undefined && this.#clock.monotonic() - open.at.monotonic < AT_ONCE_MS;
  }
}

const withoutHost = (reason: string, { text }: ConsentQuestion) =>
  new BudgetError(
    'not_confirmed',
    `${reason}\n${text}\nOnce the user has agreed, call again with the same arguments and confirm: true. That counts once, within ten minutes.`,
  );

/** Asks a host of the older era, which answers within the call, and for as long as its answer would count. */
async function elicit(clock: Clock, { mcpReq }: ServerContext, message: string): Promise<HostAnswer> {
  const { signal } = mcpReq;
  const timeLimit = new AbortController();
  const answered = new AbortController();
  clock.sleep(CONFIRMATION_MS, answered.signal).then(
    () => timeLimit.abort(),
    () => {},
  );
  try {
    const params = { mode: 'form', message, requestedSchema: form } as const;
    const options = { timeout: LONGEST_TIMER_MS, signal: AbortSignal.any([signal, timeLimit.signal]) };
    return (await mcpReq.send({ method: 'elicitation/create', params }, options)).action;
  } catch (error) {
    if (signal.aborted) throw new BudgetError('cancelled', 'The call was cancelled.', { cause: error });
    const isInvalid = error instanceof SdkError && error.code === SdkErrorCode.InvalidResult;
    return isInvalid || error instanceof ProtocolError ? 'failed' : 'timed out';
  } finally {
    answered.abort();
  }
}

// A bare `elicitation: {}` means forms, as it did before there were others.
const canElicit = z
  .object({ elicitation: z.looseObject({}) })
  .refine(({ elicitation }) => 'form' in elicitation || !('url' in elicitation));
const envelopeSchema = z.object({ [CLIENT_CAPABILITIES_META_KEY]: z.unknown() });

/** Undefined in the older era. */
const modernCapabilities = ({ mcpReq }: ServerContext): unknown =>
  envelopeSchema.safeParse(mcpReq.envelope).data?.[CLIENT_CAPABILITIES_META_KEY];

/** A host that did not say that it can must not be asked. */
export function canAsk({ server }: McpServer, context: ServerContext): boolean {
  return canElicit.safeParse(modernCapabilities(context) ?? server.getClientCapabilities()).success;
}
