/** The cookies of the pages of this server, which scripts cannot read. */
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';

export function pageCookies(issuer: string) {
  const secure = issuer.startsWith('https:');
  const nameOf = (name: string) => `${secure ? '__Host-' : ''}budget-mcp-${name}`;
  return {
    get: (c: Context, name: string) => getCookie(c, nameOf(name)),
    set(c: Context, name: string, value: string, ageMs: number) {
      const limits = { httpOnly: true, sameSite: 'Lax', path: '/', secure } as const;
      setCookie(c, nameOf(name), value, { ...limits, maxAge: ageMs / 1_000 });
    },
    remove: (c: Context, name: string) => deleteCookie(c, nameOf(name), { path: '/', secure }),
  };
}
