/** The pages for signing in of a server, one at a time. What a page needs is loaded with the first one. */
import type { SignInPage } from './sign-in-page.ts';

export type SignInPages = ReturnType<typeof createSignInPages>;

/** All calls that lack a sign-in offer the same page. */
export function createSignInPages(openPage: () => Promise<SignInPage>) {
  let opened: Promise<SignInPage> | undefined;
  const current = async () => opened?.catch(() => undefined);
  const next = async (before: Promise<SignInPage | undefined>) => {
    const page = await before;
    return page?.isOpen ? page : openPage();
  };
  return {
    /** Returns the address of the page. */
    async open(): Promise<string> {
      opened = next(current());
      return (await opened).url;
    },
    /** Resolves when no page is open. */
    ended: async () => (await current())?.ended,
    close: async () => (await current())?.close(),
  };
}
