import { expect } from 'vitest';
import { z } from 'zod';

const content = z.looseObject({ page: z.looseObject({ total: z.number() }).optional() });

/**
 * Expects that a resource has the content of a tool's answer. The page of a tool is cut to the length of an answer, that of
 * a resource is not.
 */
export function expectSameContent(resource: unknown, structured: unknown): void {
  const { page, ...data } = content.parse(structured);
  const whole = content.parse(resource);
  expect(whole.page?.total).toBe(page?.total);
  for (const [name, value] of Object.entries(data)) {
    const same = whole[name];
    if (!Array.isArray(value)) expect(same).toEqual(value);
    else expect(Array.isArray(same) && same.slice(0, value.length)).toEqual(value);
  }
}
