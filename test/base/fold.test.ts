import { expect, it } from 'vitest';
import { fold, includesFolded } from '../../src/base/fold.ts';

it.each([
  ['CAFÉ Zoë', 'cafe zoe'],
  ['Straße', 'strasse'],
  ['STRASSE', 'strasse'],
  ['Ｗｉｄｅ', 'wide'],
  ['soft\u00adhyphen', 'softhyphen'],
  ['Birthday 🎂', 'birthday 🎂'],
  ['Κατάστημα', 'καταστημα'],
  ['', ''],
])('%j is compared as %j', (text, folded) => {
  expect(fold(text)).toBe(folded);
});

it('marks that distinguish words in other scripts stay', () => {
  expect(fold('हिन्दी')).not.toBe(fold('हन्द'));
});

it.each([
  ['Old Mill BAKERY', 'bakery', true],
  ['Crème brûlée', 'creme', true],
  ['Crème brûlée', 'brulee', true],
  ['Crème brûlée', 'cream', false],
  ['Große Straße', 'strasse', true],
  ['', 'a', false],
])('whether %j contains %j: %j', (text, folded, isIn) => {
  expect(includesFolded(text, folded)).toBe(isIn);
});
