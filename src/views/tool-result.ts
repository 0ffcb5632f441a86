/** Reads results of tools: the data of a view, and the text that a model gets. */
import { VIEW_DATA_KEY, VIEW_DATA_VERSION } from '../answers/view-data/version.ts';
import type { ViewKind } from '../answers/view-data/view-content.ts';
import type { ContentOf, ViewData } from '../features/view-data.ts';
import type { ToolResult } from './bridge.ts';
import { el } from './element.ts';

/** Undefined if the result has no data for this version of the view. */
export function dataOf({ _meta }: ToolResult): ViewData | undefined {
  const data = _meta?.[VIEW_DATA_KEY];
  return isViewData(data) ? data : undefined;
}

/** The same server made the page and the data, so only the version has to be checked. */
const isViewData = (data: unknown): data is ViewData =>
  typeof data === 'object' && data !== null && 'version' in data && data.version === VIEW_DATA_VERSION;

export const isOf = <Kind extends ViewKind>(
  kind: Kind,
  content: ViewData['content'],
): content is ContentOf<Kind> => content.kind === kind;

export const linesOf = ({ content }: ToolResult): string[] =>
  (content ?? []).flatMap(({ text }) => (text === undefined ? [] : text.split('\n')));

export const textOf = (result: ToolResult): Node =>
  el(
    'pre',
    {
      class: result.isError ? 'text problem' : 'text',
      dir: 'auto',
      role: result.isError ? 'alert' : undefined,
    },
    linesOf(result).join('\n'),
  );
