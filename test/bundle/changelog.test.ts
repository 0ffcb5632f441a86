import { describe, expect, test } from 'vitest';
import { changelogEntry, checkTag } from '../../.ci/changelog.ts';

const changelog = `# Changelog

## Unreleased

## 1.2.0 - 2026-11-22

### Added
- Something.

## 1.1.0

The first version.
`;

describe('the changelog of a release', () => {
  test('the entry of a version is the text under its heading, with or without a date', () => {
    expect(changelogEntry(changelog, '1.2.0')).toBe('### Added\n- Something.');
    expect(changelogEntry(changelog, '1.1.0')).toBe('The first version.');
  });

  test.each(['1.2', '1.2.1', '2.0'])('a version without an entry is not released: %s', (version) => {
    expect(() => changelogEntry(changelog, version)).toThrow(`CHANGELOG.md has no entry for ${version}.`);
  });

  test('a version is not released while changes are listed as unreleased', () => {
    const unreleased = changelog.replace('## Unreleased\n', '## Unreleased\n\n- Something new.\n');
    expect(() => changelogEntry(unreleased, '1.2.0')).toThrow(
      'CHANGELOG.md has changes under Unreleased: move them to 1.2.0.',
    );
  });
});

describe('the tag of a release', () => {
  test('a tag is the version after a v', () => {
    expect(() => checkTag('v1.2.0', '1.2.0')).not.toThrow();
  });

  test.each(['', '1.2.0', 'v1.2.1', 'v1.2.0-rc.1'])(
    'another tag than the version is refused: "%s"',
    (tag) => {
      expect(() => checkTag(tag, '1.2.0')).toThrow(
        `The tag ${tag} is not the version in package.json: v1.2.0.`,
      );
    },
  );

  test('a prerelease is refused, because npm and the registry would offer it as the newest version', () => {
    expect(() => checkTag('v1.2.0-rc.1', '1.2.0-rc.1')).toThrow('Only whole versions are released');
  });
});
