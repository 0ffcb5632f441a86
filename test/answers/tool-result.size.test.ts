import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { sizeOf } from '../../src/answers/text.ts';
import { cutData, cutLines, MAX_BYTES, MAX_JSON_BYTES } from '../../src/answers/tool-result.ts';

const ids = (count: number) => Array.from({ length: count }, (_, at) => `id-${at}`);

it('structured content that fits stays as it is', () => {
  const data = { transaction_ids: ids(1_000), summary: { transactions: 1_000 } };
  expect(cutData(data)).toBe(data);
});

it('lists of structured content that is too long are cut to the same number of entries, and their true lengths are added', () => {
  const rows = ids(1_000).map((id) => ({ id, legs: ids(500) }));
  const content = z
    .object({
      few: z.array(z.string()),
      ids: z.array(z.string()),
      sent: z.object({ rows: z.array(z.unknown()) }),
    })
    .loose()
    .parse(cutData({ few: ids(3), ids: ids(5_000), sent: { rows } }));
  expect(content.few).toEqual(ids(3));
  expect(content.ids).toEqual(ids(content.ids.length));
  expect(content.sent.rows).toHaveLength(content.ids.length);
  expect(content['cut']).toMatchObject({ ids: 5_000, 'sent.rows': 1_000, 'sent.rows.0.legs': 500 });
});

it('a long text of structured content that is too long is cut, and its true length is added', () => {
  const content = cutData({ category: { note: 'x'.repeat(100_000) } });
  expect(content).toEqual({
    category: { note: `${'x'.repeat(2_000)}…` },
    cut: { 'category.note': 100_000 },
  });
});

it('structured content of any lists fits after it was cut', () => {
  const list = fc.array(fc.oneof(fc.string(), fc.array(fc.string(), { maxLength: 9 })), { maxLength: 9 });
  fc.assert(
    fc.property(fc.dictionary(fc.string({ maxLength: 9 }), list, { maxKeys: 4 }), (data) => {
      const long = Object.entries(data).map(([name, rows]) => [
        name,
        Array.from({ length: 300 }, () => rows).flat(),
      ]);
      const cut = cutData(Object.fromEntries(long));
      expect(sizeOf(JSON.stringify(cut))).toBeLessThanOrEqual(MAX_JSON_BYTES);
    }),
    { endOnFailure: true },
  );
});

it('a list of ids that was cut has at most 10,000 tokens', () => {
  const transaction_ids = Array.from({ length: 1_000 }, () => randomUUID());
  const tokens = countTokens(JSON.stringify(cutData({ transaction_ids })));
  expect(tokens).toBeLessThanOrEqual(10_000);
  expect(tokens).toBeGreaterThan(8_000);
});

it('lines that are too long for an answer are left out, and the last line says how many', () => {
  const lines = ids(10_000);
  const cut = cutLines(lines);
  expect(sizeOf(cut.join('\n'))).toBeLessThanOrEqual(MAX_BYTES + 100);
  const shown = cut.length - 1;
  expect(cut).toEqual([...lines.slice(0, shown), `Too long: ${10_000 - shown} lines were left out here.`]);
  expect(cutLines(ids(100))).toEqual(ids(100));
});
