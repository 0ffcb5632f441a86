/** The tools, prompts, skills and resources that the settings enable, and which of them are available now. */

import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { word } from '../base/quote.ts';
import type { Operation, OperationKind } from '../operations/operation.ts';
import type { Toolset } from '../operations/toolsets.ts';
import type { BudgetClient } from '../session/budget-client.ts';
import { type Prompt, prompts } from './prompt-texts.ts';

/** A tool without its schemas. */
export interface FeatureTool {
  readonly name: string;
  readonly kind: OperationKind;
  readonly toolset?: Toolset | undefined;
  readonly needsStatements?: boolean | undefined;
  readonly isForViews?: boolean | undefined;
  /** Of the service, if the tool is one. */
  readonly operation?: Pick<Operation, 'name' | 'addedIn'> | undefined;
  /** The URI or URI template of the resources with the same data. */
  readonly resource?: string | undefined;
}

/** Whether a host is offered the tool. Without a folder, statements can only be chosen in a view. */
export const isOffered = (
  { needsStatements = false, isForViews = false }: FeatureTool,
  { hasStatements, withViews }: { readonly hasStatements: boolean; readonly withViews: boolean },
): boolean => withViews || (!isForViews && (hasStatements || !needsStatements));

/** Without `toolsets`, all tools are enabled. `client` knows which of them are available now. */
export function featuresOf<Tool extends FeatureTool>(
  all: readonly Tool[],
  toolsets: readonly Toolset[] | undefined,
  client: Pick<BudgetClient, 'readOnly' | 'lacks'>,
) {
  const isAvailable = ({ kind, operation }: Tool) =>
    !(client.readOnly && kind !== 'read') && !(operation && client.lacks(operation));
  const enabled = all.filter(
    ({ toolset }) => toolset === undefined || !toolsets || toolsets.includes(toolset),
  );
  const names = new Set(enabled.map(({ name }) => name));
  const tools = new FeatureList('Tool', enabled, isAvailable);
  const enabledPrompts = prompts.filter((prompt) => prompt.tools.every((name) => names.has(name)));
  const hasTools = (prompt: Prompt) => prompt.tools.every((name) => tools.has(name));
  return {
    /** Also those that are not available now. */
    enabled,
    tools,
    prompts: new FeatureList('Prompt', enabledPrompts, hasTools),
    /** The prompts that are skills too. */
    skills: new FeatureList(
      'Skill',
      enabledPrompts.filter(({ isSkill }) => isSkill),
      hasTools,
    ),
  };
}

export class FeatureList<Feature extends { readonly name: string }> {
  readonly #kind: string;
  readonly #byName: ReadonlyMap<string, Feature>;
  readonly #isAvailable: (feature: Feature) => boolean;

  constructor(kind: string, features: readonly Feature[], isAvailable: (feature: Feature) => boolean) {
    this.#kind = kind;
    this.#byName = new Map(features.map((feature) => [feature.name, feature]));
    this.#isAvailable = isAvailable;
  }

  get isEmpty(): boolean {
    return this.#byName.size === 0;
  }

  get available(): Feature[] {
    return [...this.#byName.values()].filter(this.#isAvailable);
  }

  /** Whether there is one of this name that is available now. */
  has(name: string): boolean {
    const feature = this.#byName.get(name);
    return feature !== undefined && this.#isAvailable(feature);
  }

  /** Throws a `ProtocolError` if there is none of this name, or if it is not available now, or not offered. */
  get(name: string, isOffered: (feature: Feature) => boolean = () => true): Feature {
    const feature = this.#byName.get(name);
    if (feature && this.#isAvailable(feature) && isOffered(feature)) return feature;
    const problem = feature ? 'disabled' : 'not found';
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${this.#kind} ${word(name)} ${problem}`);
  }
}
