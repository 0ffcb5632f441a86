/**
 * The OAuth applications that are registered (specification, OAuth applications). It knows what an application is and
 * by which secret it is recognised, and must not know what it was granted.
 */
import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { User } from '../access.ts';
import { digestOf, newSecret } from '../secrets.ts';
import { isRegistrable } from './redirect-uri.ts';

export interface Application {
  /** The client id. */
  readonly id: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly owner: User;
  /** Whether users pick a default budget while they authorize it (specification, Endpoints). */
  readonly selectsDefaultBudget: boolean;
  /** Restricted Mode, in which every application starts and which the operator ends. */
  restricted: boolean;
}

/** What an owner says of an application; the messages are for the owner. */
export const registration = z.object({
  name: z
    .string()
    .trim()
    .regex(/^[^\p{Cc}\p{Cf}]{1,60}$/u, 'The name must have 1 to 60 characters.'),
  redirectUris: z
    .array(
      z.string().max(1_000).refine(isRegistrable, {
        error:
          'A redirect URI must begin with https:// (or http:// on this machine, or a scheme of your own with a dot) and have no fragment.',
      }),
    )
    .min(1, 'Give one redirect URI at least.')
    .max(10, 'Give ten redirect URIs at most.'),
  selectsDefaultBudget: z.boolean().default(false),
});

export type Registration = z.input<typeof registration>;

/** Shown once; afterwards the service knows the secret only when it sees it. */
export interface Credentials {
  clientId: string;
  clientSecret: string;
}

export class Applications {
  readonly #registered = new Map<string, { application: Application; secret: Buffer }>();

  /**
   * Registers an application in Restricted Mode, with a random client id and secret unless the operator chooses them.
   * Throws `ZodError` where the registration breaks a rule.
   */
  register(
    owner: User,
    details: Registration,
    { clientId = newSecret(), clientSecret = newSecret() }: Partial<Credentials> = {},
  ): Credentials & { application: Application } {
    const application: Application = {
      id: clientId,
      owner,
      restricted: true,
      ...registration.parse(details),
    };
    this.#registered.set(clientId, { application, secret: Buffer.from(digestOf(clientSecret)) });
    return { application, clientId, clientSecret };
  }

  find(clientId: string | undefined): Application | undefined {
    return clientId === undefined ? undefined : this.#registered.get(clientId)?.application;
  }

  /** The application whose id and secret these are. */
  authenticate({ clientId, clientSecret }: Credentials): Application | undefined {
    const known = this.#registered.get(clientId);
    const presented = Buffer.from(digestOf(clientSecret));
    return known && timingSafeEqual(known.secret, presented) ? known.application : undefined;
  }

  ownedBy(user: User): Application[] {
    return [...this.#registered.values()].map((known) => known.application).filter((it) => it.owner === user);
  }
}
