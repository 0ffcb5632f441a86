/** A page for signing in, as a server opens it, on a manual clock and with the embedded service. */
import { onTestFinished } from 'vitest';
import { createSignInPages } from '../../src/app/compose/sign-in.ts';
import { openSignInPage, type SignInPageDeps } from '../../src/auth/sign-in-page.ts';
import { BudgetError } from '../../src/base/errors.ts';
import { startSigningIn } from '../app/commands/signing-in.helper.ts';
import { SignInVisitor } from '../programs/sign-in-visitor.helper.ts';
import { MemoryTokenStore } from './memory-token-store.helper.ts';

/** A page that was opened for a person, and the stores behind it. */
export async function openPageForPerson(options: Partial<SignInPageDeps> = {}) {
  const { service, store, budgetsOf, send } = await startSigningIn();
  const files = new MemoryTokenStore();
  const { clock, baseUrl, appUrl, client } = service;
  let signedIn = 0;
  const pages = createSignInPages(() =>
    openSignInPage({
      clock,
      store,
      files,
      profile: 'default',
      lock: (_, work) => work(),
      budgetsOf,
      send,
      service: { baseUrl, appUrl },
      readOnly: false,
      checksCertificates: true,
      onSignedIn: async () => {
        signedIn += 1;
      },
      ...options,
    }),
  );
  onTestFinished(() => pages.close());
  const visitor = new SignInVisitor(await pages.open());
  const token = { way: 'token', token: service.accessToken };
  const application = { way: 'browser', client_id: client.clientId, client_secret: client.clientSecret };
  return { service, clock, store, files, pages, visitor, token, application, signedIn: () => signedIn };
}

/** A keychain that cannot be used. */
export const noKeychain = () => {
  const store = new MemoryTokenStore();
  store.read = () => Promise.reject(new BudgetError('keychain_unavailable', 'There is no D-Bus session.'));
  return store;
};
