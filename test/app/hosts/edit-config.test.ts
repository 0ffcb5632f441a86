import fc from 'fast-check';
import { stringify as stringifyToml } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml, stringify as stringifyYaml } from 'yaml';
import { isOwnEntry, type Place, withoutServer, withServer } from '../../../src/app/hosts/edit-config.ts';

const entry = { command: '/usr/bin/node', args: ['/opt/budget-mcp/main.js', 'serve'] };

const places = {
  json: { format: 'json', keys: ['mcpServers'] },
  toml: { format: 'toml', keys: ['mcp_servers'] },
  yaml: { format: 'yaml', keys: ['extensions'] },
} as const satisfies Record<string, Place>;

const add = (place: Place, text: string, made: object = entry) =>
  withServer(place, { file: '/config', text }, 'budget', { ...made });
const remove = (place: Place, text: string) => withoutServer(place, { file: '/config', text }, 'budget');

/** Texts with other servers, comments and formatting that have to stay. */
const texts: readonly (readonly [what: string, place: Place, text: string])[] = [
  [
    'JSON with another server',
    places.json,
    '{\n  "mcpServers": {\n    "other": {\n      "command": "o"\n    }\n  },\n  "theme": "dark"\n}\n',
  ],
  [
    'JSON with comments and trailing commas',
    places.json,
    '// mine\n{\n\t"mcpServers": {\n\t\t/* first */\n\t\t"other": {}, // the other\n\t\t"last": {},\n\t}, // servers\n\t"theme": "dark", // night\n}\n',
  ],
  [
    'JSON with the line ends of Windows',
    places.json,
    '{\r\n  "mcpServers": {\r\n    "other": {}\r\n  }\r\n}\r\n',
  ],
  ['JSON with a byte order mark', places.json, '\uFEFF{\n  "mcpServers": {\n    "other": {}\n  }\n}\n'],
  [
    'TOML with tables around it',
    places.toml,
    '# mine\nmodel = "x" # best\n\n[mcp_servers.other]\ncommand = "o"\n\n[mcp_servers.other.env]\nA = "1"\n\n# about the profile\n[profiles.x]\nlist = [\n  "a", # first\n]\n',
  ],
  ['TOML of one line', places.toml, 'model = "x"\n'],
  ['TOML with the line ends of Windows', places.toml, 'model = "x"\r\n\r\n[a]\r\nb = 1\r\n'],
  ['an empty TOML', places.toml, ''],
  [
    'YAML as Goose writes it',
    places.yaml,
    "GOOSE_MODEL: x\nextensions:\n  # built in\n  developer:\n    enabled: true # on\n    args:\n    - a\n    - 'b'\n\n# the rest\nGOOSE_MODE: auto\n",
  ],
  [
    'YAML with the line ends of Windows and a long text',
    places.yaml,
    `# only a comment\r\n# of two lines\r\nextensions:\r\n  a:\r\n    text: "${'long '.repeat(40)}"\r\n`,
  ],
  [
    'YAML with numbers that JavaScript would write otherwise',
    places.yaml,
    'extensions:\n  slack:\n    envs:\n      CHANNEL: 123456789012345678\n      PIN: 0042\n      FLAG: 0x1F\n      SIZE: 1e3\n',
  ],
];

describe.each(texts)('%s', (_, place, text) => {
  test('adding a server and removing it gives the same text', () => {
    const added = add(place, text);
    expect(added).not.toBe(text);
    expect(remove(place, added)).toBe(text);
  });

  test('every line that was there is still there, but for a comma', () => {
    const lines = new Set(add(place, text).split('\n').map(withoutComma));
    for (const line of text.split('\n').map(withoutComma)) expect(lines).toContain(line);
  });

  test('adding the same server again changes nothing', () => {
    const added = add(place, text);
    expect(add(place, added)).toBe(added);
  });

  test('another command replaces the one that is there', () => {
    const changed = add(place, add(place, text), { ...entry, command: '/usr/local/bin/node' });
    expect(changed).toContain('/usr/local/bin/node');
    expect(changed).not.toContain('/usr/bin/node');
    expect(remove(place, changed)).toBe(text);
  });
});

const withoutComma = (line: string) => line.replace(/,?(\s*\/\/.*)?\r?$/, '$1');

test('a comment beside the last server is kept, and may move', () => {
  const text = '{\n    "mcpServers": {\n        "other": {} // last\n    }\n}';
  const added = add(places.json, text);
  expect(added).toContain('} // last\n    }\n}');
  expect(remove(places.json, added)).toBe(text);
});

test('the entry beside may be laid out anew, and the others stay as they are', () => {
  const text = '{\n  "mcpServers": {\n    "first": { "a": 1 }, // one\n    "other": { "b": 2 }\n  }\n}\n';
  const added = add(places.json, text);
  expect(added).toContain('    "first": { "a": 1 }, // one\n    "other": {\n      "b": 2\n    },\n');
});

test('a YAML may be laid out anew, with its values and comments', () => {
  const text =
    'extensions:\n    # first\n    developer: # built in\n        args:\n          - a\n        description: >-\n            folded\n            text\n\n# the rest\nz: "0x1F"\n';
  const added = add(places.yaml, text);
  for (const comment of ['# first\n', '# built in\n', '# the rest\n']) expect(added).toContain(comment);
  const { extensions, ...others } = parseYaml(text);
  expect(parseYaml(added)).toEqual({ ...others, extensions: { ...extensions, budget: entry } });
  expect(parseYaml(remove(places.yaml, added))).toEqual({ ...others, extensions });
});

test('removing a server may remove the comments around it, and no others', () => {
  const text =
    '{\n  // mine\n  "mcpServers": {\n    "budget": { "command": "budget-mcp" }, // ours\n    // next\n    "other": {} // last\n  }\n}\n';
  expect(remove(places.json, text)).toBe(
    '{\n  // mine\n  "mcpServers": {\n    "other": {} // last\n  }\n}\n',
  );
});

test.each([
  ['json', '{"mcpServers":{"other":{"command":"o"}},"theme":"dark"}'],
  ['json', '{"mcpServers":{}}'],
  ['json', '{}'],
  ['json', ''],
  ['yaml', ''],
  ['yaml', 'extensions: {} # none\nb: 1\n'],
  ['yaml', 'extensions:\nb: 1'],
  ['yaml', '# only a comment\na: 1\n'],
  ['yaml', 'null'],
  ['yaml', 'extensions: { developer: { enabled: true } }'],
  ['toml', 'a = 1'],
] as const)('a server can be added to, and removed from, %s that reads %j', (format, text) => {
  const added = add(places[format], text);
  expect(added).toContain('/opt/budget-mcp/main.js');
  expect(remove(places[format], added)).not.toContain('budget-mcp');
});

test('what a person has added to the entry stays when the server is installed again', () => {
  for (const place of Object.values(places)) {
    const first = add(place, '', { ...entry, env: { BUDGET_MCP_TIME_ZONE: 'Europe/Berlin' } });
    const again = add(place, first, { ...entry, args: ['/new/main.js', 'serve'] });
    expect(again).toContain('Europe/Berlin');
    expect(again).toContain('/new/main.js');
  }
});

test.each([
  ['json', '{"mcpServers": {"a": 1}', 'is not valid JSON'],
  ['json', '[]', 'has no object at mcpServers'],
  ['json', 'null', 'by hand'],
  ['json', '{"mcpServers": []}', 'has no object at mcpServers'],
  ['toml', 'a = = 1', 'is not valid TOML'],
  ['toml', 'mcp_servers = 1', 'has no object at mcp_servers'],
  ['toml', 'mcp_servers = { other = { command = "o" } }', 'by hand'],
  ['toml', '[mcp_servers]\nbudget = { command = "x", args = ["main.js", "budget-mcp"] }', 'by hand'],
  ['toml', 'a = """\n[mcp_servers.budget]\n"""\n', 'by hand'],
  ['yaml', 'a: [1', 'is not valid YAML'],
  ['yaml', '- a', 'has no object at extensions'],
  ['yaml', 'a: 1\n---\nb: 1\n', 'is not valid YAML'],
  ['json', '{"mcpServers": {}, "mcpServers": {"x": {}}}', 'by hand'],
] as const)('a %s that reads %j is left alone: %s', (format, text, problem) => {
  expect(() => add(places[format], text)).toThrow(problem);
});

test.each([
  '{"mcpServers": null}',
  '{\n  "mcpServers": null,\n  "other": 1\n}\n',
  '{\n  "other": 1,\n  "mcpServers": null // none\n}',
])('the JSON %j, which has null in the place of the servers, gets the server', (text) => {
  const added = add(places.json, text);
  expect(added).toContain('"mcpServers": {');
  expect(added.includes('"other": 1')).toBe(text.includes('"other": 1'));
  expect(added.includes('// none')).toBe(text.includes('// none'));
});

test('a server may have the name of something that every object inherits', () => {
  const added = withServer(places.json, { file: '/config', text: '{}' }, 'constructor', entry);
  expect(JSON.parse(added)).toEqual({ mcpServers: { constructor: entry } });
});

test('a server of the same name that is another program is neither replaced nor removed', () => {
  const text = '{"mcpServers": {"budget": {"command": "other-program", "args": []}}}';
  expect(() => add(places.json, text)).toThrow('has another server of the name budget');
  expect(() => remove(places.json, text)).toThrow('that does not start budget-mcp');
});

test('messages do not quote the configuration', () => {
  for (const [format, text] of [
    ['json', '{"token": "SECRET" '],
    ['toml', 'token = SECRET'],
    ['yaml', 'token: "SECRET'],
  ] as const)
    expect(() => add(places[format], text)).toThrow(expect.not.stringContaining('SECRET'));
});

test.each([
  [{ command: 'budget-mcp' }, true],
  [{ command: ['node', '/x/main.js', 'serve'] }, true],
  [{ cmd: '/usr/bin/node', args: ['/lib/node_modules/budget-mcp/dist/main.js'] }, true],
  [{ command: 'npx', args: ['other'] }, false],
  [{ command: 'other-program', args: ['serve'] }, false],
  ['text', false],
])('the entry %j is one of this program: %s', (value, expected) => {
  expect(isOwnEntry(value)).toBe(expected);
});

describe('the laws of every configuration', () => {
  const json = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }));
  const servers = fc.dictionary(
    fc.string().filter((name) => name !== 'budget'),
    fc.record({ command: fc.string() }),
  );
  const simple = fc.dictionary(
    fc.stringMatching(/^[a-z]{1,8}$/),
    fc.oneof(fc.string(), fc.boolean(), fc.array(fc.string(), { maxLength: 3 })),
    { minKeys: 1 },
  );

  test.each([
    ['toml', '', (value: object) => stringifyToml(value)],
    ['yaml', 'extensions: {}\n', (value: object) => stringifyYaml(value, { lineWidth: 0, indentSeq: false })],
  ] as const)(
    'a text in %s is the same after a server was added and removed, but for an empty object',
    (format, empty, stringify) => {
      const place = places[format];
      const [key] = place.keys;
      fc.assert(
        fc.property(simple, fc.option(simple), simple, (before, server, after) => {
          const text = stringify({ ...before, ...(server && { [key]: { other: server } }), last: after });
          expect(remove(place, add(place, text))).toBe(server ? text : text + empty);
        }),
      );
    },
  );

  test.each([undefined, 2, '\t'])('only the server is added and removed, with indentation %j', (indent) => {
    fc.assert(
      fc.property(json, fc.option(servers), (others, known) => {
        const text = JSON.stringify({ ...others, mcpServers: known ?? {} }, null, indent);
        const plain = JSON.parse(text);
        const added = add(places.json, text);
        expect(JSON.parse(added)).toEqual({ ...plain, mcpServers: { ...plain.mcpServers, budget: entry } });
        expect(JSON.parse(remove(places.json, added))).toEqual(plain);
      }),
    );
  });
});
