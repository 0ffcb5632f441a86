/** What a token has to look like to be sent at all. */
import { z } from 'zod';

/** Visible ASCII, as RFC 6750 has it. The issue must not repeat the value. */
export const bearerToken = z.string().regex(/^[\x21-\x7e]+$/, 'must be a single word of visible characters');
