/** Names of sign-ins. They are also the names of keychain entries and files. */
import { z } from 'zod';

export const DEFAULT_PROFILE = 'default';

/** The words of a command for a profile. */
export const profileOption = (profile: string): readonly string[] =>
  profile === DEFAULT_PROFILE ? [] : ['--profile', profile];

export const profileName = z
  .string()
  .regex(/^[a-z0-9_-]{1,32}$/, 'must be 1 to 32 small letters, digits, underscores and hyphens');
