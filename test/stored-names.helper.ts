/**
 * The names of records, logs and locks in the sources: the first argument of each call of a store. It is a text, or the name of a
 * constant, a field or a function that makes the text, in the same file or in one that it imports.
 */
import { posix } from 'node:path';

const kinds: Readonly<Record<string, string>> = {
  read: 'record',
  update: 'record',
  append: 'log',
  entries: 'log',
  trim: 'log',
  lock: 'lock',
};

const argument = /('[^']*'|`[^`]*`|[\w.#]+)/.source;
const newRecord = new RegExp(`\\bnew SharedRecord\\(\\s*[^,]+,\\s*${argument}`, 'g');
/** A record of a feature. */
const ofFeature = new RegExp(`\\bcall\\.record\\(\\s*${argument}`, 'g');
/** An entry for a log that is added later, together with a change of a record. */
const newEntry = new RegExp(`\\{ log: ${argument}, value`, 'g');
const storeCall = new RegExp(`[sS]tore\\s*\\.(${Object.keys(kinds).join('|')})\\(\\s*${argument}`, 'g');

/** The rooms and the file that do not know what is stored, and those whose stores are for secrets. */
const otherStores = /^(?:(?:store|service|auth|app\/commands)\/|session\/call-record\.ts)/;

/** Each use as `record budget <>: session/sync/shared-budget.ts`: what is filled in is `<>`, and the file is where the text is. */
export function storedNames(sources: ReadonlyMap<string, string>): ReadonlySet<string> {
  const users = [...sources].filter(([file]) => !otherStores.test(file));
  return new Set(
    users.flatMap(([file, source]) => {
      const records = [newRecord, ofFeature]
        .flatMap((each) => [...source.matchAll(each)])
        .map(([, name = '']) => ({ kind: 'record', name }));
      const calls = [...source.matchAll(storeCall)].map(([, method = '', name = '']) => ({
        kind: kinds[method],
        name,
      }));
      const entries = [...source.matchAll(newEntry)].map(([, name = '']) => ({ kind: 'log', name }));
      const named = calls.filter(({ name }) => name !== 'log');
      return [...records, ...entries, ...named].map(
        ({ kind, name }) => `${kind} ${namesIn(sources, file, name)}`,
      );
    }),
  );
}

/** `grant/<>: hosting/grants.ts`. Throws if the text of an expression is not found. */
function namesIn(sources: ReadonlyMap<string, string>, file: string, expression: string): string {
  const text = /^['`](.*)['`]$/.exec(expression)?.[1];
  if (text !== undefined) return `${filled(sources.get(file) ?? '', text)}: ${file}`;
  const name = expression.replace(/^this\./, '');
  // `const LOG = 'journal'`, `const nameOf = (id: string) => …`, `this.#name = …`
  const made = new RegExp(`(?:const |this\\.)${name} =\\s*(?:\\([^)]*\\)(?:: string)? =>\\s*)?${argument}`);
  for (const each of [file, ...importsOf(sources, file, name)]) {
    const found = made.exec(sources.get(each) ?? '')?.[1];
    if (found !== undefined) return namesIn(sources, each, found);
  }
  throw new Error(`${file} gives a store the name ${expression}, whose text was not found.`);
}

function importsOf(sources: ReadonlyMap<string, string>, file: string, name: string): readonly string[] {
  const imports = (sources.get(file) ?? '').matchAll(/^import \{([^}]*)\} from '(\..*?)';/gm);
  return [...imports]
    .filter(([, names = '']) => new RegExp(`\\b${name}\\b`).test(names))
    .map(([, , from = '']) => posix.join(posix.dirname(file), from));
}

/** `${PREFIX}` is the text of that constant, and everything else that is filled in is `<>`. */
const filled = (source: string, text: string): string =>
  text.replace(/\$\{((?:\{[^}]*\}|[^}])*)\}/g, (_, inner: string) => {
    const constant = /^[A-Z_]+$/.test(inner) && new RegExp(`const ${inner} = '([^']*)'`).exec(source)?.[1];
    return constant || '<>';
  });
