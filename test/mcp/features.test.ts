import { expect, it } from 'vitest';
import { FeatureList } from '../../src/mcp/features.ts';

/** A list of three tools. The test says which of them are unavailable. */
function started() {
  const unavailable = new Set<string>();
  const features = ['read', 'write', 'delete'].map((name) => ({ name }));
  return { unavailable, list: new FeatureList('Tool', features, ({ name }) => !unavailable.has(name)) };
}

it('the available features are those of this moment, in their order', () => {
  const { unavailable, list } = started();
  unavailable.add('write');
  expect(list.available).toEqual([{ name: 'read' }, { name: 'delete' }]);
  unavailable.clear();
  expect(list.available).toHaveLength(3);
});

it('only an available feature can be got, and the error says whether there is such a feature', () => {
  const { unavailable, list } = started();
  unavailable.add('write');
  expect(list.get('read')).toEqual({ name: 'read' });
  expect(() => list.get('write')).toThrow('Tool write disabled');
  expect(() => list.get('constructor')).toThrow('Tool constructor not found');
});

it('the name of an unknown feature is quoted in the error', () => {
  expect(() => started().list.get('a\n\u001b[31mb')).toThrow('Tool "a\\n\\u001b[31mb" not found');
});
