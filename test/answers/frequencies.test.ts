import { describe, expect, it } from 'vitest';
import { frequencyInWords } from '../../src/answers/frequencies.ts';
import { frequency } from '../../src/base/schema/fields.ts';

const problem = (text: string) => frequencyInWords.safeParse(text).error?.issues[0]?.message;

describe('how often something repeats', () => {
  it.each(frequency.options)('%s is its own word', (name) => {
    expect(frequencyInWords.parse(name)).toBe(name);
  });

  it.each([
    ['fortnightly', 'everyOtherWeek'],
    ['Every two weeks', 'everyOtherWeek'],
    ['every 4 weeks', 'every4Weeks'],
    ['half-yearly', 'twiceAYear'],
    ['quarterly', 'every3Months'],
    ['annually', 'yearly'],
    ['once', 'never'],
  ])('"%s" is %s', (words, name) => {
    expect(frequencyInWords.parse(words)).toBe(name);
  });

  it.each(['biweekly', 'bi-weekly', 'bimonthly', 'biannual'])('"%s" is asked back', (word) => {
    expect(problem(word)).toContain('has two meanings');
  });

  it('any other word is answered with the words that there are', () => {
    expect(problem('now and then')).toBe(`must be one of ${frequency.options.join(', ')}`);
  });
});
