/** The user that an access token belongs to. */
import { z } from 'zod';
import { text } from './fields.ts';

export const user = z.object({ id: text });

export type User = z.output<typeof user>;
