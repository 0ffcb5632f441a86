/** What a token of this server allows its client to do. */
export const SCOPES = ['budget:read', 'budget:write'] as const;
export type Scope = (typeof SCOPES)[number];

/**
 * The scopes that a request asks for. Changing includes reading. A request that names no scope of this server asks for
 * all, because the person can still allow reading only (RFC 6749, section 3.3).
 */
export function requestedScopes(parameter: string | undefined): Scope[] {
  const names = new Set(parameter?.split(' '));
  return names.has('budget:read') && !names.has('budget:write') ? ['budget:read'] : [...SCOPES];
}
