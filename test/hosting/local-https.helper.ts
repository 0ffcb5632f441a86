/** Servers on 127.0.0.1 with a certificate for some names that signs itself. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listenLocally } from '../local-server.helper.ts';

let made: { readonly key: string; readonly cert: string } | undefined;

/** Made once for all tests of a file. */
export function certificate() {
  made ??= make();
  return made;
}

export const serveHttps = (answer: RequestListener) => listenLocally(createServer(certificate(), answer));

function make() {
  const directory = mkdtempSync(join(tmpdir(), 'certificate-'));
  const [keyFile, certFile] = [join(directory, 'key'), join(directory, 'cert')];
  const subject = [
    '-subj',
    '/CN=localhost',
    '-addext',
    'subjectAltName=DNS:localhost,DNS:receiver.test,DNS:rebinding.test',
  ];
  const output = ['-keyout', keyFile, '-out', certFile];
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '30', ...subject, ...output],
    { stdio: 'ignore' },
  );
  const both = { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certFile, 'utf8') };
  rmSync(directory, { recursive: true });
  return both;
}
