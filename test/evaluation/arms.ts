/** The arms of the evaluation: what a model has to work with. */

import type { JsonObject } from '../../src/base/json.ts';
import { toolsets } from '../../src/operations/index.ts';
import { rankTools } from './bm25.ts';
import type { ArmName } from './recording.ts';

export interface ToolDefinition {
  readonly name: string;
  /** For people and for searches; a model does not see it. */
  readonly title?: string | undefined;
  readonly description: string;
  /** The JSON Schema of the arguments. */
  readonly inputSchema: JsonObject;
  /** Whether the model sees it without a search. */
  readonly isAlwaysLoaded?: boolean;
}

/** A tool as a model sees it, in one line. */
export const definitionText = ({ name, description, inputSchema }: ToolDefinition): string =>
  JSON.stringify({ name, description, inputSchema });

export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
}

export interface Tools {
  /** The tools that the model sees now. */
  readonly tools: readonly ToolDefinition[];
  call(name: string, args: JsonObject): Promise<ToolAnswer>;
}

/** Some hosts pass on no more than so many tools. */
const LIMIT = 40;
const FOUND = 5;

const mirroring = new Set(
  Object.values(toolsets).flatMap((operations) => operations.map(({ name }) => name)),
);

/** The tools of the program as an arm offers them. */
export const armOf: Readonly<Record<Exclude<ArmName, 'csv'>, (program: Tools) => Tools>> = {
  all: (program) => program,
  mirror: (program) =>
    only(
      program,
      program.tools.filter(({ name }) => mirroring.has(name)),
    ),
  'first-40': (program) => only(program, program.tools.slice(0, LIMIT)),
  search: behindSearch,
};

/** Calls of tools that the model cannot see are refused. */
const only = (program: Tools, tools: readonly ToolDefinition[]): Tools => ({
  tools,
  call: async (name, args) =>
    tools.some((tool) => tool.name === name)
      ? program.call(name, args)
      : { text: `There is no tool ${name}.`, isError: true },
});

const searchTool: ToolDefinition = {
  name: 'search_tools',
  description:
    'Finds other tools for the budget by words, and returns five of them with their definitions. They can be called after that.',
  inputSchema: {
    type: 'object',
    properties: { query: { type: 'string' } },
    required: ['query'],
    additionalProperties: false,
  },
};

/** The tools that are always loaded, and one that finds others, which can be called from then on. */
function behindSearch(program: Tools): Tools {
  const deferred = program.tools.filter(({ isAlwaysLoaded }) => !isAlwaysLoaded);
  const known = [searchTool, ...program.tools.filter(({ isAlwaysLoaded }) => isAlwaysLoaded)];
  return {
    tools: known,
    async call(name, args) {
      if (name !== searchTool.name) return only(program, known).call(name, args);
      const found = rankTools(String(args['query']), deferred).slice(0, FOUND);
      known.push(...found.filter((tool) => !known.includes(tool)));
      return { text: found.map(definitionText).join('\n'), isError: false };
    },
  };
}
