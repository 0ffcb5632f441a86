import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkSignature, signBundle } from '../../.ci/sign-bundle.ts';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { selfSignedFiles } from '../certificate.helper.ts';
import { makeBundle, mcpb } from './bundle.ts';

test('a signed bundle can be unpacked, and any change of it is noticed', async () => {
  const directory = await temporaryDirectory();
  const [bundle, changed] = [join(directory, 'budget-mcp.mcpb'), join(directory, 'changed.mcpb')];
  makeBundle(bundle);
  expect(() => checkSignature(bundle)).toThrow('is not signed');

  signBundle(bundle, await selfSignedFiles());
  expect(() => checkSignature(bundle)).not.toThrow();
  mcpb('unpack', bundle, join(directory, 'unpacked'));
  expect(readFileSync(join(directory, 'unpacked/manifest.json'), 'utf8')).toContain('"budget-mcp"');

  copyFileSync(bundle, changed);
  const bytes = readFileSync(changed);
  bytes[1000] = (bytes[1000] ?? 0) ^ 1;
  writeFileSync(changed, bytes);
  expect(() => checkSignature(changed)).toThrow();
});
