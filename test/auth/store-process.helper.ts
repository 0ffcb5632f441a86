/** Another process that uses a store: `read|write|keep-writing  file DIRECTORY|keychain ENV  [SIGN-IN...]`. */

import { signInSchema } from '../../src/auth/token-store.ts';
import { openKeychain } from './keychain.helper.ts';
import { signInFiles } from './sign-in-files.helper.ts';

const [task, kind, place = '', ...given] = process.argv.slice(2);
const store = kind === 'file' ? signInFiles(place) : openKeychain(JSON.parse(place));
const signIns = given.map((text) => signInSchema.parse(JSON.parse(text)));

if (task === 'read') process.stdout.write(JSON.stringify(await store.read('default')));
do {
  for (const signIn of signIns) {
    await store.write('default', signIn);
    process.stdout.write('written\n');
  }
} while (task === 'keep-writing');
