import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { identity } from '../../src/mcp/budget-server.ts';
import { connectedClient } from './connected.helper.ts';

const ofFile = readFileSync(new URL('../../src/mcp/icon.svg', import.meta.url), 'utf8');
const shapes = (svg: string) => svg.match(/<(rect|circle|path)[^>]*>/g) ?? [];

test('the server has an icon of less than 700 characters, drawn with the shapes of icon.svg', async () => {
  const host = await connectedClient();
  expect(host.getServerVersion()).toMatchObject({ icons: identity.icons });
  const [{ src } = { src: '' }] = identity.icons;
  expect(src.length).toBeLessThan(700);
  const svg = Buffer.from(src.split(',')[1] ?? '', 'base64').toString();
  expect(shapes(svg)).toHaveLength(4);
  expect(shapes(ofFile).slice(0, 4)).toEqual(shapes(svg));
});
