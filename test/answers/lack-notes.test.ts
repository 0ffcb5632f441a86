import { expect, it } from 'vitest';
import { lackNotes } from '../../src/answers/lack-notes.ts';

it('lines of unknown things are counted by kind, and an answer says which are in its sums', () => {
  const unknown = [
    { id: 'c1', name: 'unknown category', lines: 2 },
    { id: 'a1', name: 'unknown account', lines: 1 },
    { id: 't1', name: 'unknown transaction', lines: 1 },
    { id: 'c2', name: 'unknown category', lines: 1 },
  ];
  expect(lackNotes([{ gaps: [], unknown }])).toEqual([
    'The service did not send all that it refers to.',
    'Counted all the same: 3 lines of an unknown category; 1 line of an unknown account.',
    'Left out: 1 line of an unknown transaction.',
  ]);
});
