/** The files of `docs/compose`, as far as they can be judged without Docker. */
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { infoOf, settingsOf } from '../../src/app/config/settings.ts';
import {
  type ComposeFile,
  type ComposeService,
  composeCopy,
  composeDirectory,
  exampleVariables,
  makeSecrets,
  readComposeFile,
} from './compose-file.helper.ts';

const variables = await exampleVariables();

async function read(name: string) {
  const compose = await readComposeFile(name, variables);
  const services = Object.entries(compose.services);
  return { name, compose, services, servers: services.filter(([, { build }]) => build) };
}

const several = await read('compose.yaml');
const family = await read('family.yaml');

const hasCompose = spawnSync('docker', ['compose', 'version']).status === 0;
if (!hasCompose)
  process.stderr.write('SKIPPED: `docker compose config`, because there is no Docker Compose.\n');

const kilobytes = (size: string) => Number.parseInt(size, 10) * (size.endsWith('g') ? 2 ** 20 : 2 ** 10);

/** The file of this repository that is mounted at `target`. */
function mountedAt(
  compose: ComposeFile,
  { secrets, configs }: ComposeService,
  target: string,
): string | undefined {
  const config = configs.find((each) => each.target === target);
  if (config) return compose.configs[config.source]?.file;
  const secret = secrets.find((name) => target === `/run/secrets/${name}`);
  return secret === undefined ? undefined : compose.secrets[secret]?.file;
}

describe.each([several, family])('$name', ({ name: file, compose, services, servers }) => {
  test('gives the servers only settings that the program has, and each one with its value', () => {
    const flags = settingsOf('serve').flatMap((name) => infoOf(name).flag ?? []);
    for (const [, { command = [] }] of servers) {
      const [name, ...args] = command;
      expect(name).toBe('serve');
      for (const arg of args) {
        const [flag, value] = arg.split('=');
        const known = flags.find((each) => each.split(' ')[0] === flag);
        expect(known, `${arg} is a setting`).toBeDefined();
        expect(value !== undefined && value !== '', arg).toBe(known?.includes(' '));
      }
    }
  });

  test('builds the image as the document of the image does', async () => {
    const document = await readFile(new URL('../../docs/image.md', import.meta.url), 'utf8');
    for (const [, { image, build }] of servers) {
      if (!build) throw new Error('The image is not built.');
      expect(document).toContain(`docker build -t ${image} -f ${build.dockerfile} .`);
      expect(existsSync(join(composeDirectory, build.context, build.dockerfile))).toBe(true);
    }
  });

  test('mounts each file that a service reads, and no file that does not exist', async () => {
    const directory = await composeCopy();
    const declared = [...Object.values(compose.configs), ...Object.values(compose.secrets)];
    for (const { file } of declared) expect(statSync(join(directory, file)).isFile(), file).toBe(true);
    for (const [name, service] of services) {
      const used = (service.command ?? []).flatMap(
        (arg) => /(?:^|=)(\/(?:run|etc)\/.*)$/.exec(arg)?.[1] ?? [],
      );
      for (const path of used) expect(mountedAt(compose, service, path), `${name} ${path}`).toBeDefined();
      for (const secret of service.secrets) expect(compose.secrets).toHaveProperty(secret);
      for (const { source } of service.configs) expect(compose.configs).toHaveProperty(source);
      for (const volume of service.volumes)
        expect(compose.volumes).toHaveProperty(volume.split(':')[0] ?? '');
      for (const network of service.networks) expect(compose.networks).toHaveProperty(network);
      for (const other of Object.keys(service.depends_on)) expect(compose.services).toHaveProperty(other);
    }
    const used = services.flatMap(([, { secrets }]) => secrets);
    expect(new Set(used)).toEqual(new Set(Object.keys(compose.secrets)));
  });

  test('has no secret in a command or in the environment', async () => {
    const directory = await composeCopy();
    const secrets = await Promise.all(
      Object.values(several.compose.secrets).map(({ file }) => readFile(join(directory, file), 'utf8')),
    );
    const password = /:([^:]*)@/.exec(secrets.join('\n'))?.[1];
    expect(password).toMatch(/^[0-9a-f]{64}$/);
    const shown = services.map(([, { command, environment, healthcheck }]) => ({
      command,
      environment,
      healthcheck,
    }));
    for (const secret of [password, ...secrets.map((text) => text.trim())])
      expect(JSON.stringify(shown)).not.toContain(secret);
    const names = services.flatMap(([, { environment }]) => Object.keys(environment));
    const secretVariables = settingsOf('serve')
      .map(infoOf)
      .filter(({ isSecret }) => isSecret);
    for (const { variable } of secretVariables) expect(names).not.toContain(variable);
  });

  test('starts every service again, without capabilities, with a root file system that cannot be written to', () => {
    for (const [name, service] of services) {
      expect(service).toMatchObject({
        restart: 'always',
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
      // Ports 80 and 443.
      expect(service.cap_add).toEqual(name === 'caddy' ? ['NET_BIND_SERVICE'] : []);
    }
  });

  test('lets nothing but Caddy be reached from outside, which sends requests to every server', () => {
    const open = services.filter(([, { ports }]) => ports.length > 0).map(([name]) => name);
    expect(open).toEqual(['caddy']);
    for (const [name, { networks }] of servers) {
      expect(compose.services['caddy']?.networks.some((each) => networks.includes(each))).toBe(true);
      expect(compose.services['caddy']?.environment['SERVERS']).toContain(`${name}:3000`);
    }
  });

  test('gives a server the time that it may take to stop', () => {
    for (const [, { command = [], stop_grace_period }] of servers) {
      const drain = Number(
        /=(\d+)$/.exec(command.find((arg) => arg.startsWith('--drain-seconds=')) ?? '')?.[1] ?? 0,
      );
      expect(Number.parseInt(stop_grace_period, 10)).toBeGreaterThan(drain + 10);
    }
  });

  test.skipIf(!hasCompose)('is valid for Docker Compose', async () => {
    const directory = await composeCopy();
    const run = spawnSync(
      'docker',
      ['compose', '--file', file, '--env-file', '.env.example', 'config', '--quiet'],
      { cwd: directory },
    );
    expect(run.stderr.toString()).toBe('');
    expect(run.status).toBe(0);
  });
});

describe('compose.yaml', () => {
  const { compose, services, servers } = several;

  test('has three servers that differ in nothing', () => {
    expect(servers.map(([name]) => name)).toEqual(['server-1', 'server-2', 'server-3']);
    const [first, ...others] = servers.map(([, server]) => server);
    for (const other of others) expect(other).toEqual(first);
  });

  test('lets Redis be reached by the servers only', () => {
    const inNetworkOf = (wanted: string) =>
      services
        .filter(([, { networks }]) =>
          networks.some((each) => compose.services[wanted]?.networks.includes(each)),
        )
        .map(([name]) => name);
    expect(inNetworkOf('redis')).toEqual([...servers.map(([name]) => name), 'redis']);
    for (const name of compose.services['redis']?.networks ?? [])
      expect(compose.networks[name]?.internal).toBe(true);
  });

  test('gives Redis twice the memory for its data', async () => {
    const settings = await readFile(join(composeDirectory, 'redis.conf'), 'utf8');
    const [, maxmemory = ''] = /^maxmemory (\d+g)b$/m.exec(settings) ?? [];
    const limit = compose.services['redis']?.mem_limit ?? '';
    expect(kilobytes(limit)).toBeGreaterThan(2 * kilobytes(maxmemory));
  });
});

describe('family.yaml', () => {
  test('has one server, which stores everything in a volume and lets only people on a list sign in', () => {
    const [[name, server] = [], ...others] = family.servers;
    expect([name, others]).toEqual(['server', []]);
    expect(server?.volumes).toEqual(['state:/state']);
    expect(server?.command).toContain(`--allow-people=${variables['ALLOW_PEOPLE']}`);
    expect(Object.keys(family.compose.services)).not.toContain('redis');
  });

  test('starts only if the people are named, so that the server is not open to everyone by mistake', async () => {
    const text = await readFile(join(composeDirectory, 'family.yaml'), 'utf8');
    expect(text).toMatch(/--allow-people=\$\{ALLOW_PEOPLE:\?/);
  });
});

describe('make-secrets', () => {
  test('makes every secret, in a directory that only its owner can open', async () => {
    const directory = await composeCopy();
    expect(statSync(join(directory, 'secrets')).mode & 0o777).toBe(0o700);
    for (const { file } of Object.values(several.compose.secrets))
      expect((await readFile(join(directory, file), 'utf8')).trim()).not.toBe('');
  });

  test('leaves the secrets that exist', async () => {
    const directory = await composeCopy();
    const read = () =>
      Promise.all(
        Object.values(several.compose.secrets).map(({ file }) => readFile(join(directory, file), 'utf8')),
      );
    const before = await read();
    await makeSecrets(directory);
    expect(await read()).toEqual(before);
  });
});
