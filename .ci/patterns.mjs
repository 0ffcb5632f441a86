/**
 * Fails if a regular expression in src/ may take time that grows with the square of its text, or faster: one person with a long
 * text would make all others of a server wait. The library is that of the lint rules `no-super-linear-backtracking` and
 * `no-super-linear-move`. It finds what one repeated character makes slow. `npm run lint` runs this.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from '@babel/parser';
import { analyse } from 'scslre';

const src = join(import.meta.dirname, '../src');
const sources = readdirSync(src, { recursive: true })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ file, text: readFileSync(join(src, file), 'utf8') }));

/** The patterns that files of src/ make from texts, by file. Those of libraries are not looked at. */
const made = new Map(sources.map(({ file }) => [file, []]));
globalThis.RegExp = new Proxy(RegExp, {
  construct(target, args) {
    const pattern = Reflect.construct(target, args);
    const [, , caller = ''] = new Error().stack?.split('\n') ?? [];
    made.get(/\/src\/([^:]+):/.exec(caller)?.[1])?.push(pattern);
    return pattern;
  },
});

/** By file, what makes its patterns if they are not made when it is loaded. */
const madeLater = {
  'app/hosts/config-formats.ts': ({ formats }) => formats.toml.set('', ['servers'], 'budget', {}),
  'session/http/codec.ts': ({ redactionOf }) => redactionOf('a secret/token'),
  'store/redis-connection.ts': ({ redisServerOf }) => redisServerOf('', ''),
};

async function patternsOf({ file, text }) {
  const { tokens } = parse(text, { sourceType: 'module', plugins: ['typescript'], tokens: true });
  const literals = tokens
    .filter(({ type }) => type.label === 'regexp')
    .map(({ value }) => ({ source: value.pattern, flags: value.flags }));
  const calls = text.split('new RegExp(').length - 1;
  if (calls > 0) {
    const module = await import(join(src, file));
    madeLater[file]?.(module);
  }
  const fromTexts = made.get(file);
  if (fromTexts.length < calls) throw new Error(`${file}: madeLater should have what makes its patterns.`);
  return [...literals, ...fromTexts];
}

let count = 0;
const slow = new Set();
for (const each of sources)
  for (const { source, flags } of await patternsOf(each)) {
    count += 1;
    for (const { character } of analyse({ source, flags }).reports)
      slow.add(`${each.file}: /${source}/${flags} is slow with many ${JSON.stringify(character.pick)}`);
  }
process.stdout.write(`${[...slow, `${count} regular expressions, ${slow.size} of them slow`].join('\n')}\n`);
process.exitCode = slow.size === 0 ? 0 : 1;
