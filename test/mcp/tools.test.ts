import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { meanings } from '../../src/base/schema/meaning.ts';
import { elementOf, objectOf } from '../../src/base/schema/walk.ts';
import { catalogue } from '../../src/features/catalogue.ts';
import { schemasOf } from '../../src/mcp/tool-schemas.ts';
import { confirmPolicies } from '../../src/operations/consent.ts';
import { operations } from '../../src/operations/index.ts';
import { EXAMPLE_ID, type Operation } from '../../src/operations/operation.ts';
import { readRuns } from '../evaluation/recording.ts';
import { connectedClient } from './connected.helper.ts';

const readingTools = catalogue.filter(({ kind }) => kind === 'read').map(({ name }) => name);
const kinds = new Map(catalogue.map(({ name, kind }) => [name, kind]));

const named = operations.map((operation) => [operation.name, operation] as const);

describe('the list of operations', () => {
  it('names, titles and routes of operations are unique', () => {
    for (const property of ['name', 'title', 'route'] as const) {
      expect(new Set(operations.map((operation) => operation[property])).size).toBe(operations.length);
    }
  });

  it.each(named)('every host accepts the name of %s', (name) => {
    expect(name).toMatch(/^[a-z][a-z0-9_]{0,63}$/);
  });

  it.each(named)('title and description of %s are short and contain no orders', (_, each) => {
    expect(each.title).toMatch(/^\S.{0,58}\S$/);
    expect(each.description).toMatch(/^[A-Z].*\.$/);
    expect(each.description.length).toBeLessThanOrEqual(400);
    expect(each.description).not.toMatch(
      /\b(must|should|always|never|do not|don't|please|important|make sure|be sure|remember|you)\b/i,
    );
  });

  it.each(named)('there is a row format for each row schema of %s', (_, operation) => {
    expect(rowSchemasOf(operation).filter((schema) => !meanings.get(schema)?.row)).toEqual([]);
  });
});

/** The schemas of the rows of a response. Lists of ids need no row format. */
function rowSchemasOf({ output: { shape }, rows, collections }: Operation): z.ZodObject[] {
  // Of an export, only the numbers of rows are shown.
  if (collections) return [];
  const lists = rows ? [shape[rows.key]] : Object.values(shape);
  return lists.flatMap((each) => objectOf(elementOf(each) ?? each) ?? []);
}

describe('the tool list', () => {
  it('the tool list is the catalogue, with one tool for each operation', async () => {
    const { tools } = await (await connectedClient()).listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(catalogue.map(({ name }) => name));
    const ofOperations = operations.map(({ name }) => name);
    expect(names.filter((name) => ofOperations.includes(name)).toSorted()).toEqual(ofOperations.toSorted());
  });

  it('the list begins with the tools that answer questions, and the most used ones are among the first 40', () => {
    const names = catalogue.map(({ name }) => name);
    const own = catalogue.filter(({ operation }) => !operation).map(({ name }) => name);
    expect(names.slice(0, own.length)).toEqual(own);
    expect(names[0]).toBe('report');
    const mostUsed = [
      'list_budgets',
      'list_accounts',
      'create_account',
      'list_categories',
      'get_category',
      'create_category',
      'update_category',
      'update_month_category',
      'list_payees',
      'update_payee',
      'get_month',
      'list_transactions',
      'create_transactions',
      'update_transactions',
      'update_transaction',
      'delete_transaction',
      'list_scheduled_transactions',
      'create_scheduled_transaction',
      'update_scheduled_transaction',
      'delete_scheduled_transaction',
    ];
    expect(names.slice(own.length, own.length + mostUsed.length)).toEqual(mostUsed);
    expect(own.length + mostUsed.length).toBeLessThanOrEqual(40);
  });

  it('the four hints of a tool that reads say that it changes nothing', async () => {
    const { tools } = await (await connectedClient()).listTools();
    for (const { name, annotations } of tools.filter(({ name }) => readingTools.includes(name))) {
      expect({ name, ...annotations }).toEqual({
        name,
        // It changes something in this server, and nothing in a budget.
        readOnlyHint: name !== 'stop_watch',
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      });
    }
  });

  it('the hints of a tool that writes say that only a creation is not destructive, and that only a creation is not idempotent', async () => {
    const { tools } = await (await connectedClient()).listTools();
    for (const { name, kind } of operations.filter((each) => each.kind !== 'read')) {
      expect({ name, ...tools.find((tool) => tool.name === name)?.annotations }).toEqual({
        name,
        readOnlyHint: false,
        destructiveHint: kind !== 'create',
        idempotentHint: kind !== 'create',
        openWorldHint: false,
      });
    }
  });

  it('a move and an undo are not idempotent, because a second equal call does something again', async () => {
    const { tools } = await (await connectedClient()).listTools();
    const repeatable = tools.filter(({ annotations }) => annotations?.idempotentHint);
    const names = repeatable.map(({ name }) => name);
    for (const name of ['move_budgeted', 'assign_money', 'undo', 'create_transactions'])
      expect(names).not.toContain(name);
    expect(names).toEqual(expect.arrayContaining(['update_transaction', 'apply_reconciliation', 'report']));
  });

  it.each(confirmPolicies)(
    'every write has the argument dry_run, and confirm if the policy may ask: %s',
    async (policy) => {
      const { tools } = await (await connectedClient({ confirm: policy })).listTools();
      for (const { name, inputSchema } of tools) {
        const { properties = {}, required = [] } = inputSchema;
        const kind = kinds.get(name) ?? 'read';
        const mayAsk = [
          'create_transactions',
          'update_transactions',
          'approve_transactions',
          'apply_reconciliation',
          'enter_statement',
          'assign_money',
          'undo',
        ].includes(name);
        expect({ name, dry_run: 'dry_run' in properties, confirm: 'confirm' in properties }).toEqual({
          name,
          dry_run: kind !== 'read',
          confirm: { none: false, deletes: kind === 'delete' || mayAsk, writes: kind !== 'read' }[policy],
        });
        expect(required).not.toEqual(expect.arrayContaining(['dry_run']));
      }
    },
  );

  it('every tool has an output schema, with freshness unless it is about the server', async () => {
    const { tools } = await (await connectedClient()).listTools();
    // What this server knows itself is always current.
    const aboutServer = ['get_status', 'list_writes', 'list_watches', 'stop_watch', 'list_statements'];
    for (const { name, inputSchema, outputSchema = { type: 'none' } } of tools) {
      expect(inputSchema).toMatchObject({ type: 'object' });
      expect(outputSchema).toMatchObject({ type: 'object' });
      const { required } = withRequired.parse(outputSchema);
      expect(required.includes('freshness'), name).toBe(!aboutServer.includes(name));
    }
  });

  it.each(catalogue.map((tool) => [tool.name, tool] as const))(
    '%s ignores an unknown argument and mentions it',
    (_, tool) => {
      const { parse } = schemasOf(tool);
      const example = JSON.parse(JSON.stringify(tool.example).replaceAll(EXAMPLE_ID, 'id-1'));
      const { own, options, notes } = parse({ ...example, wait_for_previous: true });
      expect({ own, options, notes: [] }).toEqual(parse(example));
      expect(notes).toEqual(['Ignored, since this tool has no such argument: "wait_for_previous".']);
    },
  );

  it("the schema of a tool without arguments allows no arguments, as OpenAI's strict mode requires", async () => {
    const { tools } = await (await connectedClient()).listTools();
    const withoutArguments = tools.filter(
      ({ inputSchema }) => Object.keys(inputSchema.properties ?? {}).length === 0,
    );
    expect(withoutArguments.map(({ name, inputSchema }) => [name, inputSchema])).toEqual(
      ['list_statements', 'get_status', 'list_watches', 'get_user'].map((name) => [
        name,
        { type: 'object', properties: {}, additionalProperties: false },
      ]),
    );
  });

  it('tools have the path parameters of their operation, and all but the budget are required', async () => {
    const { tools } = await (await connectedClient()).listTools();
    for (const { name, kind, route } of operations) {
      const inPath = [...route.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => parameter);
      const { properties, required = [] } = tools.find((tool) => tool.name === name)?.inputSchema ?? {};
      expect(Object.keys(properties ?? {})).toEqual(expect.arrayContaining(inPath));
      expect(required).toEqual(
        expect.arrayContaining(inPath.filter((parameter) => parameter !== 'budget_id')),
      );
      if (kind === 'read')
        expect(required).toHaveLength(inPath.filter((each) => each !== 'budget_id').length);
    }
  });

  it.each(confirmPolicies)(
    'the tool list has at most 7,300 tokens, also if every write asks: %s',
    async (policy) => {
      const { tools } = await (await connectedClient({ confirm: policy })).listTools();
      const read = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
      const tokens = countTokens(JSON.stringify(read));
      expect(tokens).toBeLessThanOrEqual(7_300);
      expect(tokens / tools.length).toBeLessThanOrEqual(115);
      expect(Buffer.byteLength(JSON.stringify({ tools }, withoutOutput))).toBeLessThanOrEqual(42_000);
    },
  );

  it('the seven tools that the most recorded conversations needed no other for are loaded without a search', async () => {
    const recorded = readRuns().filter(({ arm }) => arm === 'all');
    const needed = recorded.flatMap(({ conversations }) =>
      conversations.map(({ turns }) => turns.flatMap(({ calls }) => calls.map(({ tool }) => tool))),
    );
    const sufficientFor = (tools: ReadonlySet<string>) =>
      needed.filter((each) => each.every((tool) => tools.has(tool))).length;
    const { tools } = await (await connectedClient()).listTools();
    const isLoaded = ({ _meta }: (typeof tools)[number]) => _meta?.['anthropic/alwaysLoad'] === true;
    const loaded = new Set(tools.filter(isLoaded).map(({ name }) => name));
    expect(loaded.size).toBe(7);
    expect(sufficientFor(loaded)).toBe(154);
    for (const left of loaded)
      for (const { name } of tools) {
        const others = new Set([...loaded].filter((each) => each !== left)).add(name);
        expect(sufficientFor(others), `${name} for ${left}`).toBeLessThanOrEqual(154);
      }
  });

  it('only where every write asks, the tools that write have the mark by which a host asks at each call', async () => {
    const writes = catalogue.filter(({ kind }) => kind !== 'read').map(({ name }) => name);
    for (const policy of confirmPolicies) {
      const { tools } = await (await connectedClient({ confirm: policy })).listTools();
      const marked = tools.filter(({ _meta }) => _meta?.['anthropic/requiresUserInteraction'] === true);
      expect(marked.map(({ name }) => name)).toEqual(policy === 'writes' ? writes : []);
    }
  });

  it('the tool list is the one in the snapshot', async () => {
    const { tools } = await (await connectedClient()).listTools();
    await expect(
      JSON.stringify(tools, withoutOutput, 2),
      'the list of tools has changed. If it should, `npm test -- mcp/tools.test -u` renews the snapshot',
    ).toMatchFileSnapshot('__snapshots__/tool-list.snap');
  });
});

const withRequired = z.object({ required: z.array(z.string()).default([]) });

/** Output schemas are left out, because they are long, follow from the operations, and are checked with real results. */
const withoutOutput = (key: string, value: unknown) => (key === 'outputSchema' ? undefined : value);
