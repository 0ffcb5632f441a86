/**
 * The form of a record of oidc-provider. Its name is a hash of its id, which for codes and tokens is their value. Its
 * content is sealed with a key that is derived from the id. It contains the key of the grant, which seals the tokens of the
 * budgeting service (`grants.ts`). So who has the store has no token, and cannot open a grant without one of its tokens.
 */
import { z } from 'zod';
import { isJsonObject, type JsonObject, parseJson } from '../base/json.ts';
import { Seal } from '../store/seal.ts';
import { derivedKey, hashOf } from './derived-key.ts';

const PREFIX = 'provider/';

export const nameOf = (kind: string, id: string): string => `${PREFIX}${kind}/${hashOf(id)}`;

export const isRecordName = (name: string): boolean => name.startsWith(PREFIX);

const recordSchema = z.object({
  /** Milliseconds since the epoch. */
  expiresAt: z.number(),
  /** `contentSchema` as JSON, sealed with a key that is derived from the id. */
  sealed: z.string(),
  /** Of a code that was used, or of a refresh token that must not be used any more. */
  isConsumed: z.boolean().optional(),
  /** The name of the record of the refresh token that this one was issued for. */
  predecessor: z.string().optional(),
  /** The names of the records of the refresh tokens that were issued for this one and replace it. */
  successors: z.array(z.string()).optional(),
  /** Until when a further one is a sibling of these, in milliseconds since the epoch. Later it replaces them. */
  siblingsUntil: z.number().optional(),
});

export type SealedRecord = z.output<typeof recordSchema>;

const contentSchema = z.object({
  payload: z.custom<JsonObject>(isJsonObject),
  /** Stored in base64. */
  grantKey: z
    .string()
    .transform((key): Uint8Array => Buffer.from(key, 'base64'))
    .optional(),
});

export type RecordContent = Readonly<z.output<typeof contentSchema>>;

export const parseRecord = (stored: unknown): SealedRecord | undefined => recordSchema.safeParse(stored).data;

export function sealContent(
  { payload, grantKey }: Required<RecordContent>,
  kind: string,
  id: string,
): string {
  const key = grantKey && Buffer.from(grantKey).toString('base64');
  const content = JSON.stringify({ payload, grantKey: key });
  return sealOf(id).close(content, placeOf(kind, id)).toString('base64');
}

/** Throws if the record is not the one with this id. */
export function openContent({ sealed }: SealedRecord, kind: string, id: string): RecordContent {
  const text = sealOf(id).open(Buffer.from(sealed, 'base64'), placeOf(kind, id));
  return contentSchema.parse(parseJson(text));
}

const sealOf = (id: string) => new Seal(derivedKey(id, 'record'));

const placeOf = (kind: string, id: string) => Buffer.from(nameOf(kind, id));
