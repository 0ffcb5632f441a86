/**
 * Signs a bundle, and checks the signature with OpenSSL: `mcpb verify` 2.1.2 calls every bundle unsigned, because its
 * library cannot check signatures.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const mcpb = fileURLToPath(new URL('../node_modules/.bin/mcpb', import.meta.url));

/** The marks around the signature, which follows the archive (specification of bundles, CLI.md, "Signature Format"). */
const [start, end] = [Buffer.from('MCPB_SIG_V1'), Buffer.from('MCPB_SIG_END')];

export interface SigningFiles {
  readonly certificate: string;
  readonly key: string;
  /** The certificates between the one of the signer and one that systems trust. */
  readonly intermediates?: string;
}

/** The files are in PEM format. Throws if the signature is not valid afterwards. */
export function signBundle(bundle: string, { certificate, key, intermediates }: SigningFiles): void {
  const chain = intermediates ? ['--intermediate', intermediates] : [];
  execFileSync(process.execPath, [mcpb, 'sign', '--cert', certificate, '--key', key, ...chain, bundle], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  checkSignature(bundle);
}

/** Throws if the bundle has no signature, or if it was changed after it was signed. It may be signed by anyone. */
export function checkSignature(bundle: string): void {
  const file = readFileSync(bundle);
  const at = file.lastIndexOf(start);
  if (at < 0 || !file.subarray(-end.length).equals(end)) throw new Error(`${bundle} is not signed.`);
  const length = at + start.length;
  const signature = file.subarray(length + 4, length + 4 + file.readUInt32LE(length));
  const directory = mkdtempSync(join(tmpdir(), 'budget-mcp-signature-'));
  try {
    const [signatureFile, content] = [join(directory, 'signature'), join(directory, 'content')];
    writeFileSync(signatureFile, signature);
    writeFileSync(content, file.subarray(0, at));
    const files = ['-in', signatureFile, '-content', content, '-out', join(directory, 'out')];
    execFileSync('openssl', ['cms', '-verify', '-inform', 'DER', '-binary', '-noverify', ...files], {
      stdio: 'pipe',
    });
  } finally {
    rmSync(directory, { recursive: true });
  }
}
