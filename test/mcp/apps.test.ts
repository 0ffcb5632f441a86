import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { VIEW_DATA_KEY } from '../../src/answers/view-data/version.ts';
import { viewData } from '../../src/features/view-data.ts';
import { eras, type Host } from '../hosts.helper.ts';
import { type HttpProgram, startHttpProgram } from '../http-program.helper.ts';

const MAX_CHARACTERS = 100_000;
const env = { BUDGET_MCP_STRUCTURED: 'false' };

let http: HttpProgram;
beforeAll(async () => {
  http = await startHttpProgram(['--demo'], env);
});
afterAll(async () => {
  await http.stop();
});

/** Those of HTTP follow each other: a connection on which nothing was sent is closed after five seconds. */
const connections = [
  ...eras.map(
    ([era, connect]) =>
      [era, 'HTTP', (views: boolean) => connect({ views, http: { url: http.url } })] as const,
  ),
  ...eras.map(([era, connect]) => [era, 'stdio', (views: boolean) => connect({ views, env })] as const),
];

const result = z.object({
  content: z.tuple([z.object({ type: z.literal('text'), text: z.string() })]),
  structuredContent: z.undefined().optional(),
  _meta: z.record(z.string(), z.unknown()).optional(),
});

const call = async ({ client }: Host, name: string, args: Record<string, unknown>) =>
  result.parse(await client.callTool({ name, arguments: args }));

/** The text without what differs from one call to the next. */
const textOf = ({ content: [{ text }] }: z.output<typeof result>) =>
  text.replace(/As of .*?; \d+ requests left\./, '').replace(/\b[\w-]{40,}\.[\w-]{12}\b/g, '<cursor>');

const row = { account_id: 'Checking', date: '2026-11-20', amount: -12.34, payee_name: 'Corner Bakery' };
const calls: readonly (readonly [tool: string, args: Record<string, unknown>, kind: string])[] = [
  ['report', { of: 'spending', by: 'category', monthly: true }, 'report'],
  ['report', { of: 'net_worth', by: 'account' }, 'report'],
  ['check_month', {}, 'month'],
  ['find_transactions', {}, 'transactions'],
  ['reconcile_account', { account: 'Checking', balance: 1 }, 'transactions'],
  ['create_transactions', { transactions: [row], dry_run: true }, 'write'],
  ['move_budgeted', { from: 'New Bicycle', to: 'Hobbies', dry_run: true }, 'write'],
  ['assign_money', { rule: 'cover_overspent', from: 'New Bicycle', dry_run: true }, 'write'],
];

describe.each(connections)('a host of the era %s over %s', (_, __, connect) => {
  let host: Host;
  /** It shows no views. */
  let other: Host;
  beforeAll(async () => {
    [host, other] = await Promise.all([connect(true), connect(false)]);
  });
  afterAll(async () => {
    await host.close();
    await other.close();
  });

  test('a host that shows views gets pages and data, in addition to the same text as other hosts', async () => {
    // The first answer to a caller also names the other budgets.
    await Promise.all([call(host, 'list_accounts', {}), call(other, 'list_accounts', {})]);
    for (const [tool, args, kind] of calls) {
      const [withView, withoutView] = [await call(host, tool, args), await call(other, tool, args)];
      expect(textOf(withView)).toBe(textOf(withoutView));
      expect(withoutView._meta?.[VIEW_DATA_KEY]).toBeUndefined();
      expect(viewData.parse(withView._meta?.[VIEW_DATA_KEY]).content.kind).toBe(kind);
      expect(JSON.stringify(withView._meta).length).toBeLessThanOrEqual(MAX_CHARACTERS);
    }
    expect((await call(host, 'list_accounts', {}))._meta?.[VIEW_DATA_KEY]).toBeUndefined();
  });

  test('the tools with a view name its page in both forms, and other hosts see neither page nor name', async () => {
    expect(host.client.getServerCapabilities()).toMatchObject({
      extensions: { 'io.modelcontextprotocol/ui': {} },
    });
    const [{ tools }, { tools: plain }] = [await host.client.listTools(), await other.client.listTools()];
    expect(plain.filter(({ _meta }) => _meta?.['ui'] !== undefined)).toEqual([]);
    const needsView = ['list_statements', 'upload_statement'];
    const withoutMeta = (list: readonly object[]) => list.map((tool) => ({ ...tool, _meta: undefined }));
    expect(withoutMeta(tools.filter(({ name }) => !needsView.includes(name)))).toEqual(withoutMeta(plain));
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(needsView));
    const uris = new Set<string>();
    for (const { name, annotations, _meta: all } of tools) {
      const { 'anthropic/alwaysLoad': _, ..._meta } = all ?? {};
      // No model calls it.
      if (name === 'upload_statement') {
        expect(_meta).toEqual({ ui: { visibility: ['app'] } });
        continue;
      }
      const isWrite = !annotations?.readOnlyHint && name !== 'stop_watch';
      const hasView =
        isWrite ||
        [
          ...['report', 'check_month', 'forecast', 'find_transactions', 'review_transactions'],
          ...['reconcile_account', 'list_statements'],
        ].includes(name);
      if (!hasView) {
        expect(_meta, name).toEqual({});
        continue;
      }
      const uri = z.string().startsWith('ui://').parse(_meta['ui/resourceUri']);
      expect(_meta, name).toEqual({ ui: { resourceUri: uri }, 'ui/resourceUri': uri });
      uris.add(uri);
    }
    const { resources } = await host.client.listResources();
    const listed = resources.filter(({ uri }) => uri.startsWith('ui:'));
    expect(listed.map(({ uri }) => uri).toSorted()).toEqual([...uris].toSorted());
    for (const { uri, mimeType } of listed) {
      const { contents } = await host.client.readResource({ uri });
      expect(mimeType).toBe('text/html;profile=mcp-app');
      expect(contents).toMatchObject([{ uri, mimeType, text: expect.stringMatching(/^<!doctype html>/) }]);
      expect(contents[0]?._meta).toEqual({ ui: { prefersBorder: true } });
    }
    const { resources: plainResources } = await other.client.listResources();
    expect(plainResources.filter(({ uri }) => uri.startsWith('ui:'))).toEqual([]);
  });
});
