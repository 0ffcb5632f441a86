import { describe, expect, test } from 'vitest';
import { fieldsFor, parseOwner } from '../../.ci/owner.ts';
import { serverJson } from '../../.ci/server-json.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { infoOf, settingNames } from '../../src/app/config/settings.ts';

const { name, version, description } = packageJson;
const owned = { ...packageJson, ...fieldsFor('https://github.com/Example/budget', 'An Example', name) };
const owner = parseOwner(owned);
const release = { name, version, description, bundleSha256: 'a'.repeat(64) };

describe('the entry in the MCP registry', () => {
  test('the entry names the npm package, the bundle with its checksum, and the image', () => {
    const { packages } = serverJson(owner, release);
    expect(packages.map(({ registryType, identifier }) => [registryType, identifier])).toEqual([
      ['npm', 'budget-mcp'],
      ['mcpb', `https://github.com/Example/budget/releases/download/v${version}/budget-mcp.mcpb`],
      ['oci', `ghcr.io/example/budget-mcp:${version}`],
    ]);
    expect(packages[1]).toMatchObject({ fileSha256: release.bundleSha256 });
  });

  test('the entry has the name by which the npm package is recognised as the same server', () => {
    expect(serverJson(owner, release).name).toBe(owned.mcpName);
  });

  test('the npm package and the image take the variables of the form, and only the token is a secret', () => {
    const [npm, , image] = serverJson(owner, release).packages;
    expect(image?.environmentVariables).toEqual(npm?.environmentVariables);
    const variables = npm?.environmentVariables ?? [];
    expect(variables.map((each) => each.name)).toEqual(
      settingNames.filter((each) => infoOf(each).form).map((each) => infoOf(each).variable),
    );
    expect(variables.filter(({ isSecret }) => isSecret).map((each) => each.name)).toEqual([
      'BUDGET_MCP_TOKEN',
    ]);
  });

  test.each([
    ['a description of more than 100 characters', { description: 'a'.repeat(101) }],
    ['a range instead of a version', { version: '^1.0.0' }],
    ['a checksum that is not SHA-256', { bundleSha256: 'abc' }],
  ])('an entry that the registry would refuse is not written: %s', (_, wrong) => {
    expect(() => serverJson(owner, { ...release, ...wrong })).toThrow();
  });
});
