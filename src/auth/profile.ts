/** Names of sign-ins. They are also the names of keychain entries and files. */
import { z } from 'zod';

export const DEFAULT_PROFILE = 'default';

export const profileName = z
  .string()
  .regex(/^[a-z0-9_-]{1,32}$/, 'must be 1 to 32 small letters, digits, underscores and hyphens');
