import { expect, it } from 'vitest';
import { z } from 'zod';
import { replaceReferences } from '../../../src/answers/references/resolve-references.ts';
import { accountId, categoryId, clearable, payeeId, payeeName } from '../../../src/base/schema/fields.ts';
import { shapeOf } from '../../../src/base/schema/walk.ts';
import { operations } from '../../../src/operations/index.ts';

const row = z.object({
  payee_id: clearable(payeeId),
  payee_name: payeeName.optional(),
  category_id: categoryId.optional(),
});
const schema = z.object({
  account_id: accountId,
  memo: z.string().optional(),
  rows: z.array(row.extend({ subtransactions: z.array(row).optional() })).optional(),
});

const replaced = (
  args: Record<string, unknown>,
  payee = (name: string): string | undefined => `payee of ${name}`,
) => {
  const seen: string[] = [];
  const result = replaceReferences(schema, args, {
    reference: (kind, text, path) => {
      seen.push(`${path}: ${kind}`);
      return `id of ${text}`;
    },
    payee,
  });
  return { result, seen };
};

it('references are replaced at any depth, and other texts are not', () => {
  const legs = [{ category_id: 'Food' }, { payee_id: 'Shop', payee_name: 'unused' }];
  const { result, seen } = replaced({
    account_id: 'Cash',
    memo: 'Cash',
    rows: [{ payee_id: null, subtransactions: legs }],
  });
  expect(result).toEqual({
    account_id: 'id of Cash',
    memo: 'Cash',
    rows: [
      {
        payee_id: null,
        subtransactions: [{ category_id: 'id of Food' }, { payee_id: 'id of Shop', payee_name: 'unused' }],
      },
    ],
  });
  expect(seen).toEqual([
    'account_id: account',
    'rows.0.subtransactions.0.category_id: category',
    'rows.0.subtransactions.1.payee_id: payee',
  ]);
});

it('the name of a payee is replaced by an id, or kept', () => {
  const rows = [{ payee_name: 'Transfer : Cash' }, { payee_id: null, payee_name: 'Transfer : Cash' }];
  expect(replaced({ rows }).result).toEqual({
    rows: [{ payee_id: 'payee of Transfer : Cash' }, { payee_id: 'payee of Transfer : Cash' }],
  });
  expect(replaced({ rows }, () => undefined).result).toEqual({ rows });
});

it('every id argument of every operation has the schema of its kind', () => {
  const kinds: Record<string, string> = { id: 'transaction' };
  const check = (schema: z.core.$ZodType, name: string, where: string): void => {
    const { fields, values, meaning } = shapeOf(schema);
    if (values) check(values, name, where);
    for (const [field, inner] of Object.entries(fields)) check(inner, field, where);
    if (/(^|_)id$/.test(name) && !['budget_id', 'import_id'].includes(name))
      expect(meaning.reference, `${where}: ${name}`).toBe(kinds[name] ?? name.replace(/_id$/, ''));
  };
  for (const { name, input } of operations) check(input, '', name);
});
