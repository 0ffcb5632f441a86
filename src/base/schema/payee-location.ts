/** The place of a payee: where the user entered a transaction with a phone. */
import { z } from 'zod';
import { flag, text } from './fields.ts';

export const payeeLocation = z.object({
  id: text,
  payee_id: text,
  latitude: text,
  longitude: text,
  deleted: flag,
});
