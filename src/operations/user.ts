/** The operation that reads the user of the token. */
import { z } from 'zod';
import { text } from './fields.ts';
import { operation } from './operation.ts';

export const getUser = operation({
  name: 'get_user',
  title: 'Get user',
  description: 'The id of the user that the access token belongs to.',
  route: 'GET /user',
  kind: 'read',
  input: {},
  output: { user: z.object({ id: text }) },
  example: {},
});
