/** Registered OAuth applications and the check of their client secrets (docs/interface.md, OAuth applications). */
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
  /** Whether users choose a default budget when they authorize it (docs/interface.md, Endpoints). */
  readonly selectsDefaultBudget: boolean;
  /** Whether the application is in Restricted Mode. Every application starts in it, and the operator ends it. */
  restricted: boolean;
}

/** The data that the owner enters for an application. The messages are shown to the owner. */
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

/** Shown once. Afterwards the service has only the digest of the secret. */
export interface Credentials {
  clientId: string;
  clientSecret: string;
}

export class Applications {
  readonly #registered = new Map<string, { application: Application; secret: Buffer }>();

  /**
   * Registers an application in Restricted Mode. Client id and secret are random unless the operator passes them.
   * Throws `ZodError` if `details` are invalid.
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

  /** The application with this id and secret. */
  authenticate({ clientId, clientSecret }: Credentials): Application | undefined {
    const registered = this.#registered.get(clientId);
    const presented = Buffer.from(digestOf(clientSecret));
    return registered && timingSafeEqual(registered.secret, presented) ? registered.application : undefined;
  }

  ownedBy(user: User): Application[] {
    return [...this.#registered.values()]
      .map(({ application }) => application)
      .filter(({ owner }) => owner === user);
  }
}
