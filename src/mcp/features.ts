/** The tools, prompts, skills and resources that the settings enable, and which of them are available now. */
import type { OperationKind } from '../operations/operation.ts';
import type { Toolset } from '../operations/toolsets.ts';
import { FeatureList } from './feature-list.ts';
import { type Prompt, prompts } from './prompt-texts.ts';

/** A tool without its schemas. */
export interface FeatureTool {
  readonly name: string;
  readonly kind: OperationKind;
  readonly toolset?: Toolset | undefined;
  readonly needsStatements?: boolean | undefined;
  readonly isForViews?: boolean | undefined;
  /** The URI or URI template of the resources with the same data. */
  readonly resource?: string | undefined;
}

/** Whether a host is offered the tool. Without a folder, statements can only be chosen in a view. */
export const isOffered = (
  { needsStatements = false, isForViews = false }: FeatureTool,
  { hasStatements, withViews }: { readonly hasStatements: boolean; readonly withViews: boolean },
): boolean => withViews || (!isForViews && (hasStatements || !needsStatements));

export interface Features<Tool extends FeatureTool = FeatureTool> {
  /** Also those that are not available now. */
  readonly enabled: readonly Tool[];
  readonly tools: FeatureList<Tool>;
  readonly prompts: FeatureList<Prompt>;
  /** The prompts that are skills too. */
  readonly skills: FeatureList<Prompt>;
}

/** Without `toolsets`, all tools are enabled. */
export function featuresOf<Tool extends FeatureTool>(
  all: readonly Tool[],
  toolsets: readonly Toolset[] | undefined,
  isAvailable: (tool: Tool) => boolean,
): Features<Tool> {
  const enabled = all.filter(
    ({ toolset }) => toolset === undefined || !toolsets || toolsets.includes(toolset),
  );
  const names = new Set(enabled.map(({ name }) => name));
  const tools = new FeatureList('Tool', enabled, isAvailable);
  const enabledPrompts = prompts.filter((prompt) => prompt.tools.every((name) => names.has(name)));
  const hasTools = (prompt: Prompt) => prompt.tools.every((name) => tools.has(name));
  return {
    enabled,
    tools,
    prompts: new FeatureList('Prompt', enabledPrompts, hasTools),
    skills: new FeatureList(
      'Skill',
      enabledPrompts.filter(({ isSkill }) => isSkill),
      hasTools,
    ),
  };
}
