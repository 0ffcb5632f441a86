import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { bundleProgram } from '../../.ci/bundle-program.ts';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';

it('the program has the messages of zod in English only, because Node.js parses them at each start', async () => {
  const { outputs } = await bundleProgram(await temporaryDirectory());
  const bundled = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  );
  const languages = bundled.filter((file) => file.includes('zod/v4/locales/')).map((file) => basename(file));
  expect(languages).toEqual(['en.js']);
});
