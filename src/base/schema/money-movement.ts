/** Money that the user moved between categories, and movements that belong together (docs/interface.md, Money movement). */
import { z } from 'zod';
import { milliunits, orNull, text } from './fields.ts';
import { meanings } from './meaning.ts';

export const moneyMovement = z
  .object({
    id: text,
    month: orNull(text),
    moved_at: orNull(text),
    note: orNull(text),
    money_movement_group_id: orNull(text),
    performed_by_user_id: orNull(text),
    from_category_id: orNull(text),
    to_category_id: orNull(text),
    amount: milliunits,
  })
  .register(meanings, { row: 'money_movement' });

export const moneyMovementGroup = z
  .object({
    id: text,
    group_created_at: text,
    month: text,
    note: orNull(text),
    performed_by_user_id: orNull(text),
  })
  .register(meanings, { row: 'money_movement_group' });
