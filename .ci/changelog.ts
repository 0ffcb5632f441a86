/** Reads the changelog for a release. */

/** Returns the text under the heading of this version. Throws an error that says what has to be changed before a release. */
export function changelogEntry(changelog: string, version: string): string {
  const [, ...sections] = changelog.split(/^## /m);
  const entries = sections.map((section) => {
    const [heading = '', ...lines] = section.split('\n');
    return { heading, text: lines.join('\n').trim() };
  });
  if (entries.some(({ heading, text }) => heading === 'Unreleased' && text !== ''))
    throw new Error(`CHANGELOG.md has changes under Unreleased: move them to ${version}.`);
  // The date of the release may follow: `0.1.0 - 2026-11-22`.
  const entry = entries.find(({ heading }) => heading.split(' - ')[0] === version);
  if (!entry?.text) throw new Error(`CHANGELOG.md has no entry for ${version}.`);
  return entry.text;
}

/** Throws if a release with this tag would not be the version in package.json. */
export function checkTag(tag: string, version: string): void {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`Only whole versions are released, not ${version}.`);
  if (tag !== `v${version}`)
    throw new Error(`The tag ${tag} is not the version in package.json: v${version}.`);
}
