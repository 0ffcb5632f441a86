import { FileSecretStore } from '../../src/auth/file-secret-store.ts';
import { signInStore } from '../../src/auth/token-store.ts';

/** Stores sign-ins in files of `directory`, as `--insecure-storage` does. */
export const signInFiles = (directory: string) => signInStore(new FileSecretStore(directory, '.json'));
