/** A payee, who is paid or pays, and its places (docs/interface.md, Payee). */
import { z } from 'zod';
import { flag, orNull, text } from './fields.ts';
import { meanings } from './meaning.ts';

export const payee = z
  .object({
    id: text,
    name: text,
    transfer_account_id: orNull(text),
    deleted: flag,
  })
  .register(meanings, { row: 'payee' });

/** Where the user entered a transaction of the payee with a phone. */
export const payeeLocation = z
  .object({
    id: text,
    payee_id: text,
    latitude: text,
    longitude: text,
    deleted: flag,
  })
  .register(meanings, { row: 'payee_location' });
