import { describe, expect, it } from 'vitest';
import { rankTools, type SearchedTool } from './bm25.ts';

describe('the search for tools', () => {
  const tool = (name: string, rest: Partial<SearchedTool> = {}) => ({ name, inputSchema: {}, ...rest });
  const found = (query: string, tools: readonly SearchedTool[]) =>
    rankTools(query, tools).map(({ name }) => name);

  it('finds words in names, titles, descriptions, and in names and descriptions of arguments at any depth', () => {
    const row = { type: 'object', properties: { flag_color: { description: 'Blue, for instance.' } } };
    const tools = [
      tool('list_payees'),
      tool('second', { title: 'Reconcile accounts' }),
      tool('third', { description: 'Moves money.' }),
      tool('fourth', { inputSchema: { properties: { rows: { type: 'array', items: row } } } }),
    ];
    expect(found('payee', tools)).toEqual(['list_payees']);
    expect(found('reconcile', tools)).toEqual(['second']);
    expect(found('MONEY', tools)).toEqual(['third']);
    expect(found('flag', tools)).toEqual(['fourth']);
    expect(found('blue', tools)).toEqual(['fourth']);
    expect(found('object', tools)).toEqual([]);
  });

  it('takes plurals and possessives as the word itself', () => {
    const tools = [tool('category'), tool('box'), tool('account'), tool('address'), tool('gas')];
    expect(found('categories', tools)).toEqual(['category']);
    expect(found('boxes', tools)).toEqual(['box']);
    expect(found("the account's", tools)).toEqual(['account']);
    expect(found('address', tools)).toEqual(['address']);
    expect(found('gas', tools)).toEqual(['gas']);
  });

  it('scores as BM25 does: a rare word more than a frequent one, a short text more than a long one, a name twice', () => {
    const long = 'spending and many other words that have nothing to do with it';
    expect(
      found('spending', [tool('a', { description: long }), tool('b', { description: 'spending' })]),
    ).toEqual(['b', 'a']);
    const rare = [
      tool('a', { description: 'money' }),
      tool('b', { description: 'money' }),
      tool('c', { description: 'undo' }),
    ];
    expect(found('money undo', rare)).toEqual(['c', 'a', 'b']);
    const twice = [tool('x', { title: 'y', description: 'undo' }), tool('undo', { description: 'z' })];
    expect(found('undo', twice)).toEqual(['undo', 'x']);
  });
});
