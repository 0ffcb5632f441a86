/**
 * Skills (SEP-2640): some of the prompts as files that a host can give to its model without a person who picks a prompt. A
 * file is made of the text of the prompt, so that both say the same.
 */
import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import type { SKILLS_GET_METHOD, SKILLS_LIST_METHOD, Skill } from '@modelcontextprotocol/server/ext/skills';
import { z } from 'zod';
import { quote } from '../answers/text.ts';
import type { FeatureList } from './features.ts';
import type { Prompt } from './prompt-texts.ts';

// Not imported as values, so that the SDK's module is only loaded for a host that asks for skills.
const LIST: typeof SKILLS_LIST_METHOD = 'skills/list';
const GET: typeof SKILLS_GET_METHOD = 'skills/get';

const FILE = 'SKILL.md';
const mimeType = 'text/markdown';
/** The list gets shorter if the token turns out to be read-only. */
const cacheHint = { ttlMs: 60_000, cacheScope: 'private' };

const listing = z.object({ cursor: z.string().optional() });
const getting = z.object({ uri: z.string() });

export function handleSkills(server: Server, skills: FeatureList<Prompt>): void {
  server.setRequestHandler(LIST, { params: listing }, async () => ({
    skills: await Promise.all(skills.available.map(entryOf)),
    ...cacheHint,
  }));
  server.setRequestHandler(GET, { params: getting }, async ({ uri }) => {
    const skill = findSkill(uri, skills);
    if (!skill) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `No skill is served at ${uri}`);
    return { skill: await entryOf(skill), ...cacheHint };
  });
}

/** The files of the skills as resources, for hosts that do not know the extension. */
export const listedSkills = (skills: FeatureList<Prompt>) =>
  skills.available.map((skill) => {
    const { title, description } = skill;
    return { uri: uriOf(skill), name: nameOf(skill), title, description, mimeType };
  });

/** The content of a resource that is the file of a skill. Undefined if it is none. */
export function readSkill(uri: string, skills: FeatureList<Prompt>) {
  const skill = findSkill(uri, skills);
  return skill && { uri, mimeType, text: fileOf(skill) };
}

const findSkill = (uri: string, skills: FeatureList<Prompt>) =>
  skills.available.find((skill) => uriOf(skill) === uri);

/** The names of skills have hyphens. */
const nameOf = ({ name }: Prompt) => name.replaceAll('_', '-');

const uriOf = (skill: Prompt) => `skill://${nameOf(skill)}/${FILE}`;

/** With the digest of the file. Throws if the file breaks a rule of the extension. */
async function entryOf(skill: Prompt): Promise<Skill> {
  const { skillEntry } = await import('@modelcontextprotocol/server/ext/skills');
  return skillEntry(nameOf(skill), { [FILE]: fileOf(skill) });
}

/** The steps have a placeholder for each required argument, and the default of the prompt for all others. */
function fileOf(skill: Prompt): string {
  const { title, description, arguments: args } = skill;
  const required = Object.entries(args).filter(([, { isRequired }]) => isRequired);
  const given = Object.entries(args).map(
    ([name, { description, isRequired }]) => `- ${name}${isRequired ? ' (required)' : ''}: ${description}`,
  );
  // The description is quoted, because it may contain a colon, which means something else in plain YAML.
  return `---
name: ${nameOf(skill)}
description: ${JSON.stringify(description)}
---

# ${title}

The steps are written as the user would ask for them: "I" is the user, who may have given

${given.join('\n')}

In the steps, what was given takes the place of its default, or of its name in angle brackets. Ask for what is required and was not given.

${skill.text(Object.fromEntries(required.map(([name]) => [name, quote(`<${name}>`)])))}
`;
}
