import { expect, test } from 'vitest';
import { connectedClient } from './connected.helper.ts';

// docs/publishing.md says what the directories ask for.
test('every tool has what directories ask for: a title, a name of at most 64 characters, and all hints', async () => {
  const { tools } = await (await connectedClient()).listTools();
  const lacking = tools.filter(
    ({ name, title = '', annotations }) =>
      title === '' ||
      name.length > 64 ||
      typeof annotations?.readOnlyHint !== 'boolean' ||
      typeof annotations.destructiveHint !== 'boolean' ||
      typeof annotations.openWorldHint !== 'boolean',
  );
  expect(tools.length).toBeGreaterThan(50);
  expect(lacking.map(({ name }) => name)).toEqual([]);
});

test('no tool is listed both as one that only reads and as one that can destroy', async () => {
  const { tools } = await (await connectedClient()).listTools();
  const both = tools.filter(({ annotations }) => annotations?.readOnlyHint && annotations.destructiveHint);
  expect(both.map(({ name }) => name)).toEqual([]);
});
