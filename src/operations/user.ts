/** The operation that reads the user (docs/interface.md, User). */
import { user } from '../base/schema/user.ts';
import { operation } from './operation.ts';

export const getUser = operation({
  name: 'get_user',
  title: 'Get user',
  description: 'The id of the user.',
  route: 'GET /user',
  kind: 'read',
  input: {},
  output: { user },
  readFromSession: (session) => session.user(),
  isConstant: true,
  example: {},
});
