/** Removes the texts and numbers of the amounts of an answer in euros or yen, after comparing each with its milliunits. */
import { expect } from 'vitest';

export function inMilliunits(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inMilliunits);
  if (typeof value !== 'object' || value === null) return value;
  const fields = new Map(Object.entries(value));
  for (const [name, amount] of [...fields]) {
    if (!fields.has(`${name}_formatted`)) continue;
    expectEqualAmounts(amount, fields.get(`${name}_formatted`), fields.get(`${name}_currency`));
    fields.delete(`${name}_formatted`);
    fields.delete(`${name}_currency`);
  }
  return Object.fromEntries([...fields].map(([name, field]) => [name, inMilliunits(field)]));
}

/** `formatted` has two decimals, as in `-1.234,50€`, or none, as in `¥84,000`. */
function expectEqualAmounts(milliunits: unknown, formatted: unknown, currency: unknown): void {
  if (milliunits === null) {
    expect([formatted, currency]).toEqual([null, null]);
    return;
  }
  expect(Number(currency) * 1_000).toBeCloseTo(Number(milliunits), 6);
  const text = String(formatted);
  const smallestUnit = /[.,]\d\d\D*$/.test(text) ? 10 : 1_000;
  const read = Number(text.replace(/\D/g, '')) * smallestUnit * (text.startsWith('-') ? -1 : 1);
  expect(Math.abs(read - Number(milliunits))).toBeLessThanOrEqual(smallestUnit / 2);
}
