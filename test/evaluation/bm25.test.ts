import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defaultTools } from '../../src/mcp/default-tools.ts';
import { rankTools, type SearchedTool } from './bm25.ts';
import sentences from './sentences.json' with { type: 'json' };
import notUsed from './sentences-not-used.json' with { type: 'json' };

describe('the search for tools', () => {
  const tool = (name: string, rest: Partial<SearchedTool> = {}) => ({ name, inputSchema: {}, ...rest });
  const search = (query: string, tools: readonly SearchedTool[]) =>
    rankTools(query, tools).map(({ name }) => name);

  it('finds words in names, titles, descriptions, and in names and descriptions of arguments at any depth', () => {
    const row = { type: 'object', properties: { flag_color: { description: 'Blue, for instance.' } } };
    const tools = [
      tool('list_payees'),
      tool('second', { title: 'Reconcile accounts' }),
      tool('third', { description: 'Moves money.' }),
      tool('fourth', { inputSchema: { properties: { rows: { type: 'array', items: row } } } }),
    ];
    expect(search('payee', tools)).toEqual(['list_payees']);
    expect(search('reconcile', tools)).toEqual(['second']);
    expect(search('MONEY', tools)).toEqual(['third']);
    expect(search('flag', tools)).toEqual(['fourth']);
    expect(search('blue', tools)).toEqual(['fourth']);
    expect(search('object', tools)).toEqual([]);
  });

  it('takes plurals and possessives as the word itself', () => {
    const tools = [tool('category'), tool('box'), tool('account'), tool('address'), tool('gas')];
    expect(search('categories', tools)).toEqual(['category']);
    expect(search('boxes', tools)).toEqual(['box']);
    expect(search("the account's", tools)).toEqual(['account']);
    expect(search('address', tools)).toEqual(['address']);
    expect(search('gas', tools)).toEqual(['gas']);
  });

  it('scores as BM25 does: a rare word more than a frequent one, a short text more than a long one, a name twice', () => {
    const long = 'spending and many other words that have nothing to do with it';
    expect(
      search('spending', [tool('a', { description: long }), tool('b', { description: 'spending' })]),
    ).toEqual(['b', 'a']);
    const rare = [
      tool('a', { description: 'money' }),
      tool('b', { description: 'money' }),
      tool('c', { description: 'undo' }),
    ];
    expect(search('money undo', rare)).toEqual(['c', 'a', 'b']);
    const twice = [tool('x', { title: 'y', description: 'undo' }), tool('undo', { description: 'z' })];
    expect(search('undo', twice)).toEqual(['undo', 'x']);
  });
});

const sentencesSchema = z.array(
  z.object({ said: z.string(), intent: z.string(), tools: z.array(z.string()) }),
);

/** What a host gets without settings, such as a folder of statements. */
const offered = defaultTools.filter(({ needsStatements }) => !needsStatements).map(({ listed }) => listed);

/** The sentences for which a tool is right, and where the first right one is in the result of the search, from 0. */
const searched = (content: unknown) =>
  sentencesSchema
    .parse(content)
    .filter(({ tools }) => tools.length > 0)
    .map((sentence) => {
      const names = rankTools(sentence.said, offered).map(({ name }) => name);
      const place = names.findIndex((name) => sentence.tools.includes(name));
      return {
        ...sentence,
        place: place === -1 ? Number.POSITIVE_INFINITY : place,
        first: names.slice(0, 5),
      };
    });

const shareWithin = (found: ReturnType<typeof searched>, places: number) =>
  found.filter(({ place }) => place < places).length / found.length;

const misses = (found: ReturnType<typeof searched>) =>
  found
    .filter(({ place }) => place >= 5)
    .map(({ said, tools, first }) => `${said} (${tools.join(', ')}): ${first.join(', ')}`)
    .join('\n');

describe('the words of the tool list', () => {
  const found = searched(sentences);

  it('the sentences are 200, and at most four of them are about what no tool does', () => {
    expect(sentences).toHaveLength(200);
    expect(found.length).toBeGreaterThanOrEqual(196);
    const names = defaultTools.map(({ listed }) => listed.name);
    for (const { tools } of found) expect(names).toEqual(expect.arrayContaining(tools));
  });

  // The descriptions were worded with these sentences, so the bounds protect the words that are there.
  it('a right tool is among the first five for 95 % of the sentences, and the first one for 70 %', () => {
    expect(shareWithin(found, 5), misses(found)).toBeGreaterThanOrEqual(0.95);
    expect(shareWithin(found, 1)).toBeGreaterThanOrEqual(0.7);
  });

  // No description is to be changed because of one of them.
  it('of other sentences, which hardly any description was worded with, it is so for 90 % and 60 %', () => {
    const others = searched(notUsed);
    expect(shareWithin(others, 5), misses(others)).toBeGreaterThanOrEqual(0.9);
    expect(shareWithin(others, 1)).toBeGreaterThanOrEqual(0.6);
  });
});
