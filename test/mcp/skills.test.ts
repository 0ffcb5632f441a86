import type { Client } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import type { ServerDeps } from '../../src/mcp/server.ts';
import { connectLegacy, connectModern } from '../hosts.helper.ts';
import { type HttpProgram, startHttpProgram } from '../http-program.helper.ts';
import { startHolding } from '../session/holding.helper.ts';
import { hostOf } from './connected.helper.ts';

const all = ['log-receipt', 'monthly-review', 'reconcile'];
const uriOf = (name: string) => `skill://${name}/SKILL.md`;

async function connected(options: Partial<ServerDeps> = {}, readOnly = false): Promise<Client> {
  return hostOf(await startHolding({ readOnly }), options);
}

async function skillsOf(host: Client): Promise<string[]> {
  const { skills } = await new SkillsClient(host).list();
  return skills.map(({ frontmatter }) => frontmatter.name).toSorted();
}

const resourcesOf = async (host: Pick<Client, 'listResources'>) =>
  (await host.listResources()).resources.filter(({ uri }) => uri.startsWith('skill:'));

describe('the skills', () => {
  it('each skill has the description and the text of its prompt, with a placeholder for what is required', async () => {
    const host = await connected();
    const client = new SkillsClient(host);
    const { skills } = await client.list();
    expect(skills.map(({ frontmatter }) => frontmatter.name).toSorted()).toEqual(all);
    for (const skill of skills) {
      const name = skill.frontmatter.name.replaceAll('-', '_');
      const { description, messages } = await host.getPrompt({ name, arguments: { account: '<account>' } });
      const [message] = messages;
      if (message?.content.type !== 'text') throw new Error('The message of the prompt is not a text.');
      // The client checks the size and the digest of the file.
      const { body = '', verified } = await client.read(skill);
      expect(verified).toBe(true);
      expect(body.endsWith(`\n\n${message.content.text}\n`)).toBe(true);
      expect(skill.frontmatter.description).toBe(description);
    }
  });

  it('each skill names all arguments of its prompt', async () => {
    const host = await connected();
    const { prompts } = await host.listPrompts();
    for (const name of all) {
      const prompt = prompts.find((each) => each.name === name.replaceAll('-', '_'));
      const { contents } = await host.readResource({ uri: uriOf(name) });
      const { text } = z.object({ text: z.string() }).parse(contents[0]);
      for (const { name, required, description } of prompt?.arguments ?? [])
        expect(text).toContain(`\n- ${name}${required ? ' (required)' : ''}: ${description}\n`);
    }
  });

  it('the skills are resources with a title too, for hosts that do not know the extension', async () => {
    const resources = await resourcesOf(await connected());
    expect(resources.map(({ uri }) => uri).toSorted()).toEqual(all.map(uriOf));
    for (const { title, mimeType } of resources) {
      expect(title).toMatch(/^[A-Z]/);
      expect(mimeType).toBe('text/markdown');
    }
  });

  it('a skill is requested by its URI, and an unknown one is a protocol error', async () => {
    const host = await connected();
    const client = new SkillsClient(host);
    const { skill } = await client.get(uriOf('reconcile'));
    expect(skill.frontmatter.name).toBe('reconcile');
    // This prompt is no skill.
    for (const uri of [uriOf('can-i-afford'), 'skill://reconcile', 'budget://v1/user']) {
      await expect(client.get(uri)).rejects.toMatchObject({ code: -32602 });
    }
    await expect(host.readResource({ uri: uriOf('can-i-afford') })).rejects.toMatchObject({ code: -32602 });
  });

  it('skills that write are missing if the server is read-only', async () => {
    const host = await connected({}, true);
    expect(await skillsOf(host)).toEqual(['monthly-review']);
    expect((await resourcesOf(host)).map(({ uri }) => uri)).toEqual([uriOf('monthly-review')]);
    const client = new SkillsClient(host);
    await expect(client.get(uriOf('reconcile'))).rejects.toMatchObject({ code: -32602 });
    await expect(host.readResource({ uri: uriOf('reconcile') })).rejects.toMatchObject({ code: -32602 });
  });

  it('skills that write are removed if the token turns out to be read-only', async () => {
    const { connect, service, clock } = await startHolding();
    const client = connect(service.access.issueToken(service.user, { scope: 'read-only' }));
    const host = await hostOf({ client, clock });
    expect(await skillsOf(host)).toEqual(all);
    await host.callTool({ name: 'import_transactions', arguments: {} });
    expect(await skillsOf(host)).toEqual(['monthly-review']);
  });

  it('skills that need a tool of a disabled group are missing', async () => {
    expect(await skillsOf(await connected({ toolsets: ['reports'] }))).toEqual([
      'monthly-review',
      'reconcile',
    ]);
  });

  it('a server without skills does not declare the extension', async () => {
    const host = await connected({ toolsets: ['user'] });
    expect(new SkillsClient(host).supported).toBe(false);
    expect(await resourcesOf(host)).toEqual([]);
  });
});

describe('the skills of the program', () => {
  let http: HttpProgram;
  beforeAll(async () => {
    http = await startHttpProgram();
  });
  afterAll(async () => {
    await http.stop();
  });

  const transports = [
    ['stdio', () => ({})],
    ['HTTP', () => ({ http: { url: http.url } })],
  ] as const;

  test.each(transports)('a host of the newer era lists and reads them over %s', async (_, started) => {
    const { client, close } = await connectModern(started());
    const skills = new SkillsClient(client);
    const { skills: listed, ttlMs } = await skills.list();
    expect(listed.map(({ frontmatter }) => frontmatter.name).toSorted()).toEqual(all);
    expect(ttlMs).toBe(60_000);
    for (const skill of listed) expect((await skills.read(skill)).verified).toBe(true);
    await close();
  });

  test.each(transports)('a host of the older era lists and reads them over %s', async (_, started) => {
    const { client, close } = await connectLegacy(started());
    const result = await client.request(
      { method: 'skills/list' },
      z.object({ skills: z.array(z.object({ uri: z.string() })) }),
    );
    expect(result.skills.map(({ uri }) => uri).toSorted()).toEqual(all.map(uriOf));
    expect((await resourcesOf(client)).map(({ uri }) => uri).toSorted()).toEqual(all.map(uriOf));
    const { contents } = await client.readResource({ uri: uriOf('log-receipt') });
    expect(contents[0]).toMatchObject({ text: expect.stringContaining('# Log a receipt') });
    await close();
  });
});
