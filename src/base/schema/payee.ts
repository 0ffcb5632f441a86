/** A payee: who is paid, and who pays (docs/interface.md, Payee). */
import { z } from 'zod';
import { flag, orNull, text } from './fields.ts';

export const payee = z.object({
  id: text,
  name: text,
  transfer_account_id: orNull(text),
  deleted: flag,
});
