import { describe, expect, test } from 'vitest';
import { fieldsFor, ownerOf, parseOwner } from '../../.ci/owner.ts';

const unowned = { name: 'budget-mcp', version: '1.2.3', license: 'MIT' };
const owned = {
  ...unowned,
  ...fieldsFor('https://github.com/Example-Owner/budget', 'An Example', 'budget-mcp'),
};

describe('the owner of the project', () => {
  test('every published address follows from the repository', () => {
    const version = 'https://github.com/Example-Owner/budget/blob/v1.2.3';
    expect(parseOwner(owned)).toEqual({
      author: { name: 'An Example' },
      mcpName: 'io.github.Example-Owner/budget-mcp',
      repository: 'https://github.com/Example-Owner/budget',
      homepage: 'https://github.com/Example-Owner/budget#readme',
      support: 'https://github.com/Example-Owner/budget/issues',
      privacyPolicy: `${version}/docs/privacy.md`,
      icon: 'https://raw.githubusercontent.com/Example-Owner/budget/v1.2.3/src/mcp/icon.png',
      bundle: 'https://github.com/Example-Owner/budget/releases/download/v1.2.3/budget-mcp.mcpb',
      image: 'ghcr.io/example-owner/budget-mcp:1.2.3',
    });
  });

  test('addresses that the owner has changed in package.json are kept', () => {
    const changed = {
      ...owned,
      homepage: 'https://budget.example/',
      bugs: { url: 'https://budget.example/help' },
    };
    expect(parseOwner(changed)).toMatchObject({
      homepage: 'https://budget.example/',
      support: 'https://budget.example/help',
    });
  });

  test('a package without an owner has no addresses', () => {
    expect(ownerOf(unowned)).toBeUndefined();
  });

  test('a release without an owner fails, and says what is missing and how to write it', () => {
    expect(() => parseOwner(unowned)).toThrow(
      'package.json needs from the owner of the project: author, repository, homepage, bugs, mcpName. To write them: npm run owner -- https://github.com/<owner>/<repository>',
    );
  });

  test('an owner of whom a part is missing or wrong is not taken for none', () => {
    const { homepage, ...others } = owned;
    expect(() => ownerOf(others)).toThrow('from the owner of the project: homepage.');
    const elsewhere = { ...owned, repository: { type: 'git', url: 'https://forge.example/a/b' } };
    expect(() => ownerOf(elsewhere)).toThrow('from the owner of the project: repository.');
  });

  test.each([
    ['', 'An Example'],
    ['https://forge.example/a/b', 'An Example'],
    ['http://github.com/a/b', 'An Example'],
    ['https://github.com/a', 'An Example'],
    ['https://github.com/a/b', ''],
  ])('an owner without a repository on GitHub or without a name is refused: "%s", "%s"', (url, author) => {
    expect(() => fieldsFor(url, author, 'budget-mcp')).toThrow('Usage: npm run owner');
  });
});
