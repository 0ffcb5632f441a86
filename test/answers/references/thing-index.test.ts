import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IdIndex } from '../../../src/answers/references/thing-index.ts';

/** Ids of few different characters, so that many of them begin alike. */
const digits = (length: number) =>
  fc.array(fc.constantFrom('0', 'a'), { minLength: length, maxLength: length }).map((each) => each.join(''));
const uuid = fc
  .tuple(digits(4), digits(4), fc.constantFrom('0000', 'a0a0'), digits(4))
  .map(([a, b, c, d]) => `${a}${b}-${c}-4000-8000-0000${d}0000`);
const dated = fc
  .tuple(uuid, fc.constantFrom('2026-11-01', '2026-11-02', '2026-12-01'))
  .map((parts) => parts.join('_'));
const ids = fc.uniqueArray(fc.oneof(uuid, dated), { maxLength: 40 });

describe('abbreviated ids', () => {
  it('an abbreviated id has at least six characters, and two more than are needed to be unique', () => {
    const index = new IdIndex(['1234abcd-0000', '1234abce-0000', '9876abcd-0000']);
    expect(index.abbreviated('9876abcd-0000')).toBe('9876ab');
    expect(index.abbreviated('1234abcd-0000')).toBe('1234abcd-0');
    expect(index.abbreviated('unknown-id')).toBe('unknown-id');
  });

  it('an abbreviated id of a transaction that a schedule entered keeps its date', () => {
    const [first, second] = ['12345678-0000_2026-11-01', '12345678-0000_2026-12-01'];
    const index = new IdIndex([first, second, '22345678-0000']);
    expect(index.abbreviated(first)).toBe('123456_2026-11-01');
    expect(index.withPrefix('123456_2026-12-01')).toEqual([second]);
    expect(index.withPrefix('123456')).toEqual([first, second]);
  });

  it('an id without a date is not abbreviated if another id is the same with a date', () => {
    const index = new IdIndex(['12345678-0000', '12345678-0000_2026-12-01']);
    expect(index.abbreviated('12345678-0000')).toBe('12345678-0000');
    expect(index.abbreviated('12345678-0000_2026-12-01')).toBe('123456_2026-12-01');
  });

  it('fewer than six characters are not read as the beginning of an id', () => {
    const index = new IdIndex(['facade00-0000']);
    expect(index.withPrefix('facad')).toEqual([]);
    expect(index.withPrefix('facade')).toEqual(['facade00-0000']);
  });

  it('an empty id from the service ends no search', () => {
    const index = new IdIndex(['', '12345678']);
    expect(index.abbreviated('')).toBe('');
    expect(index.abbreviated('12345678')).toBe('123456');
  });

  it('every abbreviated id leads back to its own id, and to nothing else', () => {
    fc.assert(
      fc.property(ids, (ids) => {
        const index = new IdIndex(ids);
        for (const id of ids) {
          const short = index.abbreviated(id);
          expect(index.has(short) ? [short] : index.withPrefix(short)).toEqual([id]);
        }
      }),
    );
  });

  it('after things were added, an abbreviated id leads to its own id or to several, never to another one', () => {
    fc.assert(
      fc.property(ids, ids, (ids, added) => {
        const before = new IdIndex(ids);
        const after = new IdIndex([...new Set([...ids, ...added])]);
        for (const id of ids) {
          const short = before.abbreviated(id);
          const found = after.has(short) ? [short] : after.withPrefix(short);
          if (found.length <= 1) expect(found).toEqual([id]);
          else expect(found).toContain(id);
        }
      }),
    );
  });
});
