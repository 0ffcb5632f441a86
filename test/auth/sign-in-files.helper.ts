import { FileSecretStore } from '../../src/auth/file-secret-store.ts';
import { SignInStore } from '../../src/auth/token-store.ts';

/** Stores sign-ins in files of `directory`, as `--insecure-storage` does. */
export const signInFiles = (directory: string) => new SignInStore(new FileSecretStore(directory, '.json'));
