import { describe, expect, test } from 'vitest';
import { style } from '../../../src/service/pages/style.ts';

const [light = {}, dark = {}] = [...style.matchAll(/:root \{(.*?)\}/gs)].map(([, rules = '']) =>
  Object.fromEntries([...rules.matchAll(/--([\w-]+): (#\w{6})/g)].map(([, name, colour]) => [name, colour])),
);

/** WCAG 2.2, relative luminance. */
function luminance(colour = ''): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one?: string, other?: string): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

describe.each([
  ['light', light],
  ['dark', dark],
])('contrast in the %s theme', (_scheme, palette) => {
  test.each([
    ['ink', 'sheet', 7],
    ['ink', 'quiet', 7],
    ['ink', 'alarm-ground', 7],
    ['faint', 'sheet', 4.5],
    ['faint', 'ground', 4.5],
    ['accent', 'sheet', 4.5],
    ['accent', 'ground', 4.5],
    ['on-accent', 'accent', 4.5],
    ['alarm', 'sheet', 4.5],
    ['field', 'sheet', 3],
  ])('the contrast of %s on %s is at least %d to 1', (one, other, least) => {
    expect(contrast(palette[one], palette[other])).toBeGreaterThanOrEqual(least);
  });
});
