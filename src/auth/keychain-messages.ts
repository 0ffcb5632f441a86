/** The messages between the keychain store and its child process, one line of JSON each. */
import { z } from 'zod';

const entrySchema = z.object({ service: z.string(), account: z.string() });

export const requestSchema = z.discriminatedUnion('operation', [
  entrySchema.extend({ operation: z.literal('get') }),
  entrySchema.extend({ operation: z.literal('set'), password: z.string() }),
  entrySchema.extend({ operation: z.literal('delete') }),
]);

export type KeychainRequest = z.output<typeof requestSchema>;

const failureSchema = z.object({
  /** Whether the keychain library cannot be loaded, or the keychain refused. */
  failure: z.enum(['missing', 'refused']),
  message: z.string(),
});

export type KeychainFailure = z.output<typeof failureSchema>;

export const answerSchema = z.union([
  z.object({ result: z.union([z.string(), z.boolean(), z.null()]) }),
  failureSchema,
]);

export type KeychainAnswer = z.output<typeof answerSchema>;
