/**
 * The versions of the interface that the service can speak (docs/interface.md, Versioning). With the older one it
 * answers as if the newer did not exist.
 */
import { createMiddleware } from 'hono/factory';
import { invalidUri } from './errors.ts';

export const interfaceVersions = ['1.77', '1.85', '1.86'] as const;

export type InterfaceVersion = (typeof interfaceVersions)[number];

export const DEFAULT_INTERFACE_VERSION: InterfaceVersion = '1.86';

export interface Versioned {
  Variables: { version: InterfaceVersion };
}

/** Sets `version` for the routes. */
export const interfaceVersion = (version: InterfaceVersion) =>
  createMiddleware<Versioned>(async (c, next) => {
    c.set('version', version);
    await next();
  });

/** Marks an operation that 1.77 does not have. It comes before anything else that can refuse a request. */
export const newerThan177 = createMiddleware<Versioned>(async (c, next) => {
  if (c.var.version === '1.77') throw invalidUri();
  await next();
});
