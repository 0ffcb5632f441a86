/**
 * The search that some hosts put before a tool list: plain BM25 over names (counted twice), titles, descriptions, and the
 * names and descriptions of arguments. There is no list of stop words, because BM25 itself gives frequent words little weight.
 */

/** What the search reads of an entry in a tool list. */
export interface SearchedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: object;
}

const K1 = 1.2;
const B = 0.75;

/** The tools that have a word of the query, the best first. Tools that are equally good stay in their order. */
export function rankTools<T extends SearchedTool>(query: string, tools: readonly T[]): T[] {
  const texts = tools.map((tool) => ({ tool, words: wordsOf(textOf(tool)) }));
  const averageLength = texts.reduce((sum, { words }) => sum + words.length, 0) / texts.length;
  const queried = wordsOf(query).map((word) => {
    const containing = texts.filter(({ words }) => words.includes(word)).length;
    return { word, rarity: Math.log(1 + (texts.length - containing + 0.5) / (containing + 0.5)) };
  });
  const scored = texts.map(({ tool, words }) => {
    const damping = K1 * (1 - B + (B * words.length) / averageLength);
    const score = queried.reduce((sum, { word, rarity }) => {
      const count = words.filter((each) => each === word).length;
      return sum + (rarity * count * (K1 + 1)) / (count + damping);
    }, 0);
    return { tool, score };
  });
  return scored
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ tool }) => tool);
}

const textOf = ({ name, title = '', description = '', inputSchema }: SearchedTool) =>
  [name, name, title, description, ...textsOfArguments(inputSchema)].join(' ');

/** The names and descriptions of all arguments in a JSON schema, at any depth. */
function textsOfArguments(schema: object): string[] {
  return Object.entries(schema).flatMap(([key, value]: [string, unknown]) => {
    if (key === 'description' && typeof value === 'string') return [value];
    if (typeof value !== 'object' || value === null) return [];
    const names = key === 'properties' ? Object.keys(value) : [];
    return [...names, ...textsOfArguments(value)];
  });
}

/** Lower case, split at everything but letters and digits, plurals reduced. "What's" becomes "what". */
const wordsOf = (text: string): string[] =>
  (
    text
      .toLowerCase()
      .replaceAll(/['’]/g, '')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  ).map(singular);

function singular(word: string): string {
  if (word.length <= 3) return word;
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (/(?:s|x|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return /[^su]s$/.test(word) ? word.slice(0, -1) : word;
}
