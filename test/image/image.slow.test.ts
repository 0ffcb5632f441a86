import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stagePackage } from '../bundle/staged.helper.ts';
import { exampleVariables, readComposeFile } from '../deployment/compose-file.helper.ts';
import { readDocument } from '../documents.ts';
import { connectModern, eras } from '../hosts.helper.ts';
import { prepareContainer, startContainer } from './container.helper.ts';
import { type BuiltImage, buildImage, noBuilder } from './image.helper.ts';

const httpToken = 'a-token-for-the-hosts-of-a-container';

/** The commands of docs/image.md, after the name of the image. */
const documented = [
  ...readDocument('docs/image.md').matchAll(/^.*docker run .* budget-mcp (serve.* --demo)$/gm),
].map(([, command = '']) => command.split(' '));
const byHttp = documented.find((args) => args.includes('--http')) ?? [];
const byStdio = documented.find((args) => !args.includes('--http')) ?? [];
const withToken = { BUDGET_MCP_HTTP_TOKEN: httpToken };

describe.skipIf(noBuilder)('the image', () => {
  let directory = '';
  let image: BuiltImage;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'budget-mcp-image-'));
    image = await buildImage(directory);
  }, 900_000);
  afterAll(async () => {
    await image?.remove();
    await rm(directory, { recursive: true, force: true });
  });

  const startHttp = async (args = byHttp) =>
    startContainer(await prepareContainer(image, { args, env: withToken }), 'listens on');
  const healthCheck = () => ['sh', '-c', image.config.Healthcheck.Test[1]];

  test('it adds Node.js and the built program with their licenses to the base, and nothing else', async () => {
    const staged = join(directory, 'package');
    stagePackage(staged);
    const entries = await readdir(join(staged, 'dist'), { recursive: true, withFileTypes: true });
    const built = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join('app', relative(staged, entry.parentPath), entry.name));
    expect(built).toContain('app/dist/THIRD-PARTY-NOTICES');
    expect(image.added).toEqual(
      [
        ...built,
        'app/LICENSE',
        'app/package.json',
        'usr/local/bin/node',
        'usr/local/share/doc/node/LICENSE',
      ].toSorted(),
    );
  });

  // Debian's slim image has about 30 MB compressed, and a minimal Debian made by mmdebstrap has 40 MB.
  test('what it adds to the base is under 75 MB compressed, so that it stays under 120 MB', () => {
    expect(image.compressedSize).toBeLessThan(75_000_000);
  });

  test('it runs as a user who is not root, and who owns the volume for the state alone', async () => {
    expect(image.config.User).toMatch(/^[1-9]\d+:[1-9]\d+$/);
    expect(Object.keys(image.config.Volumes)).toEqual(['/state']);
    const { uid, gid, mode } = await stat(join(image.rootfs, 'state'));
    expect(`${uid}:${gid}`).toBe(image.config.User);
    expect((mode & 0o777).toString(8)).toBe('700');
    const container = await startHttp();
    expect(await container.exec('sh', '-c', 'id -u; id -g')).toBe(image.config.User.replace(':', '\n'));
    for (const path of ['/app', '/usr/local/bin', '/etc', '/run'])
      await expect(container.exec('sh', '-c', `: > ${path}/file`)).rejects.toThrow();
    await container.exec('sh', '-c', ': > /state/file');
  });

  test.each(eras)(
    'a host of the era %s gets an answer over standard input and output',
    async (_, connect) => {
      const { command } = await prepareContainer(image, { args: byStdio });
      const host = await connect({ command, args: [] });
      const { text, isError } = await host.call('get_category', { category_id: 'Groceries' });
      expect(text).toContain('"Groceries"');
      expect(isError).toBe(false);
      await host.close();
    },
  );

  test.each([
    ['the environment variable BUDGET_MCP_TOKEN', { env: { BUDGET_MCP_TOKEN: 'token-of-the-service' } }],
    [
      'the file /run/secrets/token',
      {
        env: { BUDGET_MCP_TOKEN_FILE: '/run/secrets/token' },
        files: { '/run/secrets/token': 'token-of-the-service' },
      },
    ],
  ])('with a token from %s it needs no keychain, and has its state in the volume', async (place, options) => {
    const env = { ...options.env, BUDGET_MCP_BASE_URL: 'http://127.0.0.1:9/v1' };
    const { command } = await prepareContainer(image, { ...options, env });
    const host = await connectModern({ command, args: [] });
    const { text } = await host.call('get_status');
    expect(text).toContain(`from ${place}.`);
    expect(text).toContain('State: shared with the other processes of this user.');
    await host.close();
  });

  test('by HTTP it answers a host that has the token, on a published port, and no other', async () => {
    const container = await startHttp();
    const url = `${await container.publish(3000)}/mcp`;
    expect(Object.keys(image.config.ExposedPorts)).toEqual(['3000/tcp']);
    await expect(connectModern({ http: { url } })).rejects.toThrow();
    const host = await connectModern({ http: { url, token: httpToken } });
    const { text } = await host.call('get_category', { category_id: 'Groceries' });
    expect(text).toContain('"Groceries"');
    await host.close();
  });

  test('by HTTP it does not start without a token', async () => {
    const container = await prepareContainer(image, { args: byHttp });
    await expect(startContainer(container, 'listens on')).rejects.toThrow('needs a token');
  });

  test('the server of docs/compose/family.yaml is ready in it, with its command and its secrets', async () => {
    const { services } = await readComposeFile('family.yaml', await exampleVariables());
    const container = await prepareContainer(image, {
      args: services['server']?.command ?? [],
      files: {
        '/run/secrets/client_secret': 'secret-of-the-application',
        '/run/secrets/server_key': Buffer.alloc(32, 7).toString('base64'),
      },
    });
    const url = await (await startContainer(container, 'listens on')).publish(3000);
    const answer = await fetch(`${url}/readyz`);
    expect([answer.status, await answer.json()]).toEqual([200, { status: 'ready' }]);
    expect(await container.exec('sh', '-c', 'ls /state/hosted.key')).toBe('/state/hosted.key');
  });

  test('the health check fails only if a server by HTTP does not answer', async () => {
    const answering = await startHttp();
    await answering.exec(...healthCheck());
    const elsewhere = await startHttp([...byHttp, '--port', '3001']);
    await expect(elsewhere.exec(...healthCheck())).rejects.toThrow();
    const container = await prepareContainer(image, { args: byStdio });
    const host = await connectModern({ command: container.command, args: [] });
    await container.exec(...healthCheck());
    await host.close();
  });

  test('Node.js is the first process, and SIGTERM ends it without an error', async () => {
    const container = await startHttp();
    expect(await container.exec('sh', '-c', 'tr "\\0" " " < /proc/1/cmdline')).toMatch(
      /^node \/app\/dist\/main\.js /,
    );
    await container.kill('SIGTERM');
    expect(await container.exitCode).toBe(0);
  });
});
