/** `npm run owner -- <repository> <author>`: writes into package.json what only the owner of the project knows. */
import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { fieldsFor } from './owner.ts';

const file = new URL('../package.json', import.meta.url);
const [, , repository = '', author = ''] = process.argv;
const packageJson = z.looseObject({ name: z.string() }).parse(JSON.parse(readFileSync(file, 'utf8')));
const written = { ...packageJson, ...fieldsFor(repository, author, packageJson.name) };
writeFileSync(file, `${JSON.stringify(written, null, 2)}\n`);
process.stdout.write('Wrote package.json. Run `npm run generate` now, and commit both.\n');
