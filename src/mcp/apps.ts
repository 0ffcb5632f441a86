/**
 * MCP Apps (SEP-1865): hosts that say that they can show views get a page for each view, and its data with each result. The
 * data is in `_meta`, which hosts do not pass to a model, so the text stays complete for everyone and costs no more.
 */
import {
  EXTENSION_ID,
  RESOURCE_MIME_TYPE,
  RESOURCE_URI_META_KEY,
} from '@modelcontextprotocol/ext-apps/server';
import type { Server, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Tool } from '../answers/tool.ts';
import type { ToolResult } from '../answers/tool-result.ts';
import { VIEW_DATA_KEY } from '../answers/view-data/version.ts';
import type { ViewKind } from '../answers/view-data/view-content.ts';
import { clientCapabilities } from './client-capabilities.ts';

export type ReadView = (view: ViewKind) => Promise<string>;

/** The server's description of itself. */
export const appsExtension = { [EXTENSION_ID]: {} };

const withViews = z.object({
  extensions: z.object({ [EXTENSION_ID]: z.object({ mimeTypes: z.array(z.string()) }) }),
});

/** Whether the host has said that it can show views. */
export const showsViews = (server: Server, context: ServerContext): boolean =>
  withViews
    .safeParse(clientCapabilities(server, context))
    .data?.extensions[EXTENSION_ID].mimeTypes.includes(RESOURCE_MIME_TYPE) ?? false;

export const viewOf = (tool: Tool): ViewKind | undefined => (tool.kind === 'read' ? tool.view : 'write');

const uriOf = (view: ViewKind) => `ui://budget-mcp/${view}.html`;

/** What a host that shows views gets of a tool in the list. Claude once knew only the flat key (claude-ai-mcp issue 71). */
export function listedView(view: ViewKind | undefined, isForViews = false) {
  if (isForViews) return { _meta: { ui: { visibility: ['app'] } } };
  if (view === undefined) return {};
  const uri = uriOf(view);
  return { _meta: { ui: { resourceUri: uri }, [RESOURCE_URI_META_KEY]: uri } };
}

/** The largest `_meta` of a result. Claude puts results over about 150,000 characters into a file. */
export const MAX_VIEW_CHARACTERS = 100_000;

/**
 * The data of the view. Too much data is left out, and so is a view that fails, because the answer is complete without it:
 * the view then shows the text.
 */
export async function resultView({ view }: ToolResult, onError: (error: unknown) => void) {
  try {
    const data = await view?.();
    if (data === undefined) return {};
    const _meta = { [VIEW_DATA_KEY]: data };
    return JSON.stringify(_meta).length > MAX_VIEW_CHARACTERS ? {} : { _meta };
  } catch (error) {
    onError(error);
    return {};
  }
}

/** No domain: another form of it than Claude's own keeps Claude from showing the view. */
const _meta = { ui: { prefersBorder: true } };

const titles: Readonly<Record<ViewKind, string>> = {
  report: 'Report',
  month: 'A month at a glance',
  forecast: 'Forecast',
  transactions: 'Transactions',
  write: 'A change',
  statements: 'Statements of the bank',
};

/** The pages as resources, in the order of the tools. */
export function listedPages(tools: readonly Tool[]) {
  const views = new Set(tools.flatMap((tool) => viewOf(tool) ?? []));
  return [...views].map((view) => ({
    uri: uriOf(view),
    name: view,
    title: titles[view],
    mimeType: RESOURCE_MIME_TYPE,
    _meta,
  }));
}

/** The content of a resource that is a page. Undefined if it is none. */
export async function readPage(uri: string, tools: readonly Tool[], read: ReadView) {
  const page = listedPages(tools).find((each) => each.uri === uri);
  return page && { uri, mimeType: RESOURCE_MIME_TYPE, text: await read(page.name), _meta };
}
