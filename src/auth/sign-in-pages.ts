/** The pages for signing in of a server, one at a time. What a page needs is loaded with the first one. */
import type { SignInPage } from './sign-in-page.ts';

/** All calls that lack a sign-in offer the same page. */
export class SignInPages {
  readonly #openPage: () => Promise<SignInPage>;
  #page: Promise<SignInPage> | undefined;

  constructor(openPage: () => Promise<SignInPage>) {
    this.#openPage = openPage;
  }

  /** Returns the address of the page. */
  async open(): Promise<string> {
    this.#page = this.#next(this.#page);
    return (await this.#page).url;
  }

  async #next(before: Promise<SignInPage> | undefined): Promise<SignInPage> {
    const page = await before?.catch(() => undefined);
    return page?.isOpen ? page : this.#openPage();
  }

  /** Resolves when no page is open. */
  async ended(): Promise<void> {
    await (await this.#page?.catch(() => undefined))?.ended;
  }

  async close(): Promise<void> {
    await (await this.#page?.catch(() => undefined))?.close();
  }
}
