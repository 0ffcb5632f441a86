/**
 * All tools with their entries in the tool list, as they are with the default settings. This takes the schemas of all
 * tools, which would be a third of the time of a start. So the build replaces this module by the values of its exports.
 */

import { catalogue, viewTools } from '../features/catalogue.ts';
import { viewOf } from './apps.ts';
import { type ListSettings, listTools } from './tool-list.ts';

export const defaultSettings: ListSettings = { confirm: 'deletes', structured: false };

export const defaultTools = [...catalogue, ...viewTools].flatMap((tool) =>
  listTools([tool], defaultSettings).map((listed) => {
    const { name, kind, toolset, needsStatements } = tool;
    return {
      name,
      kind,
      toolset,
      needsStatements,
      isForViews: tool.kind === 'read' && tool.isForViews,
      resource: tool.kind === 'read' ? tool.resource : undefined,
      listed,
      /** The view with which a host draws the results. */
      view: viewOf(tool),
    };
  }),
);
