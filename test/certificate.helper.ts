/** Certificates that sign themselves. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { temporaryDirectory } from './auth/temporary-directory.helper.ts';

/** For the address 127.0.0.1 and these names, in PEM. */
export async function selfSigned(...names: readonly string[]) {
  const altNames = names.map((value) => ({ type: 2, value }) as const);
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'Test' }], {
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }, ...altNames] }],
  });
  return { key, cert };
}

/** The same as files, which are removed when the test ends. */
export async function selfSignedFiles() {
  const directory = await temporaryDirectory();
  const { key, cert } = await selfSigned();
  const files = { key: join(directory, 'key.pem'), certificate: join(directory, 'certificate.pem') };
  await Promise.all([writeFile(files.key, key), writeFile(files.certificate, cert)]);
  return files;
}
