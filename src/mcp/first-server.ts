/**
 * A server that answers the first requests of a host with what the build has prepared, before schemas, tools and client
 * are loaded. `completeServer` then adds all handlers.
 */

import { yieldTurn } from '../base/clock.ts';
import type { Toolset } from '../operations/toolsets.ts';
import { listedView, showsViews } from './apps.ts';
import { type BudgetServer, createBudgetServer, type ServerInfo } from './budget-server.ts';
import { defaultSettings, defaultTools } from './default-tools.ts';
import { featuresOf, isOffered } from './features.ts';
import type { ListSettings } from './tool-list.ts';

export interface FirstServerDeps extends ServerInfo, ListSettings {
  readonly readOnly: boolean;
  readonly toolsets?: readonly Toolset[] | undefined;
  /** Called after the tool list was answered. Hosts ask for it when they start, and for other things later. */
  readonly onListed: () => void;
}

/** Only the list of the default settings is prepared. */
const hasPreparedList = ({ confirm, structured }: ListSettings) =>
  confirm === defaultSettings.confirm && structured === defaultSettings.structured;

/** The requests that a first server answers. The SDK handles all but the list of tools. */
export const firstMethods = (settings: ListSettings): ReadonlySet<string> =>
  new Set(['initialize', 'server/discover', 'ping', ...(hasPreparedList(settings) ? ['tools/list'] : [])]);

export function createFirstServer(deps: FirstServerDeps): BudgetServer {
  const { readOnly, toolsets, onListed, readView, hasStatements = false } = deps;
  const features = featuresOf(defaultTools, toolsets, { readOnly, lacks: () => false });
  const server = createBudgetServer(deps, features);
  server.setRequestHandler('tools/list', (_, context) => {
    void yieldTurn().then(onListed);
    const withViews = readView !== undefined && showsViews(server, context);
    const tools = features.tools.available
      .filter((tool) => isOffered(tool, { hasStatements, withViews }))
      .map(({ listed, view, isForViews }) => {
        const shown = withViews ? listedView(view, isForViews)._meta : undefined;
        return shown ? { ...listed, _meta: { ...shown, ...listed._meta } } : listed;
      });
    return { tools };
  });
  return server;
}
