/** A certificate that signs itself, for tests of signatures. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

export function selfSigned(directory: string): { certificate: string; key: string } {
  const [certificate, key] = [join(directory, 'certificate.pem'), join(directory, 'key.pem')];
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=Test signer'];
  execFileSync('openssl', [...args, '-keyout', key, '-out', certificate], { stdio: 'pipe' });
  return { certificate, key };
}
