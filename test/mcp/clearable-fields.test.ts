/** What is to be emptied is named in `clear`. Null and an empty text mean "not given". */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { catalogue } from '../../src/features/catalogue.ts';
import { schemasOf } from '../../src/mcp/tool-schemas.ts';

const toolNamed = (name: string) => {
  const tool = catalogue.find((each) => each.name === name);
  if (!tool) throw new Error(`There is no tool ${name}.`);
  return tool;
};
const update = schemasOf(toolNamed('update_transaction'));
const updateMany = schemasOf(toolNamed('update_transactions'));

it('clear empties the fields that it names', () => {
  const { own } = update.parse({ transaction_id: 't', clear: ['category', 'memo', 'payee', 'flag_color'] });
  expect(own).toEqual({
    transaction_id: 't',
    category_id: null,
    memo: null,
    payee_id: null,
    flag_color: null,
  });
});

it('clear empties fields of one row of many', () => {
  const { own } = updateMany.parse({
    transactions: [
      { id: 'a', clear: ['memo'] },
      { id: 'b', memo: 'Tea' },
    ],
  });
  expect(own).toEqual({
    transactions: [
      { id: 'a', memo: null },
      { id: 'b', memo: 'Tea' },
    ],
  });
});

it.each([
  ['memo', { memo: 'Tea' }],
  ['payee', { payee_name: 'Bakery' }],
  ['category', { category_id: 'c' }],
])('a field cannot be given and cleared at once: %s', (name, given) => {
  const [field] = Object.keys(given);
  expect(() => update.parse({ transaction_id: 't', clear: [name], ...given })).toThrow(
    `clear: names ${name}, but ${field} has a value`,
  );
  expect(() => updateMany.parse({ transactions: [{ id: 't', clear: [name], ...given }] })).toThrow(
    `transactions.0.clear: names ${name}, but ${field} has a value`,
  );
});

it('a name that cannot be cleared is refused', () => {
  expect(() => update.parse({ transaction_id: 't', clear: ['amount'] })).toThrow('clear.0');
});

it('null means "not given", as in calls of OpenAI\'s strict mode', () => {
  const all = Object.fromEntries(Object.keys(update.input.shape).map((name) => [name, null]));
  const { own, options, notes } = update.parse({ ...all, transaction_id: 't', memo: 'Tea' });
  expect({ own, options, notes }).toEqual({
    own: { transaction_id: 't', memo: 'Tea' },
    options: {},
    notes: [],
  });
});

it('an empty text means "not given", and is mentioned', () => {
  const { own, notes } = updateMany.parse({
    transactions: [{ id: 't', memo: '', payee_name: null, amount: -1, subtransactions: null }],
  });
  expect(own).toEqual({ transactions: [{ id: 't', amount: -1000 }] });
  expect(notes).toEqual(['Ignored, since an empty text means "not given": "transactions.0.memo".']);
});

it.each(catalogue.map((tool) => [tool.name, tool] as const))(
  'the input schema of %s has no null, no empty text and no choice of types',
  (_, tool) => {
    const json = JSON.stringify(z.toJSONSchema(schemasOf(tool, 'writes').input, { io: 'input' }));
    expect(json).not.toMatch(/"null"|""|anyOf|oneOf/);
  },
);

it.each([null, ''])('an update that has only %j for a field says how the field is emptied', (memo) => {
  const tool = toolNamed('update_transaction');
  const { own } = update.parse({ transaction_id: 't', memo });
  const problems = 'check' in tool ? tool.check?.(own, { today: '2026-11-21', ofService: '2026-11-21' }) : [];
  expect(problems?.join()).toContain('clear empties fields, such as clear: ["');
});

it('a flag that there is not says how the flag is removed', () => {
  expect(() => update.parse({ transaction_id: 't', flag_color: 'none' })).toThrow(
    'to empty it: clear: ["flag_color"].',
  );
});

it('a payee of blanks is refused', () => {
  expect(() => update.parse({ transaction_id: 't', payee_name: '  ' })).toThrow(
    'payee_name: must not be blank',
  );
});
