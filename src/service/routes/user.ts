/** The user of the token (docs/interface.md, Endpoints). */
import { Hono } from 'hono';
import type { Authenticated } from '../authentication.ts';

export const userRoutes = new Hono<Authenticated>().get('/user', (c) =>
  c.json({ data: { user: { id: c.var.grant.user.id } } }),
);
