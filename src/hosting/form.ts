/** Reads the forms of the pages. Anybody can send anything in their place. */
import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';

const MAX_FORM_BYTES = 8_192;

export const formLimit = bodyLimit({
  maxSize: MAX_FORM_BYTES,
  onError: (c) => c.text('The form is too large.', 413),
});

/** Without fields if it is malformed. */
export const formOf = (c: Context): Promise<Readonly<Record<string, unknown>>> =>
  c.req.parseBody().catch(() => ({}));
