/** The format of a token that can be sent. */
import { z } from 'zod';

/** Visible ASCII (RFC 6750, section 2.1). The message must not repeat the value. */
export const bearerToken = z.string().regex(/^[\x21-\x7e]+$/, 'must be a single word of visible characters');
