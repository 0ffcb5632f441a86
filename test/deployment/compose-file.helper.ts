/** What the files of `docs/compose` say, as Compose reads them, and what they mount. */
import { execFile } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { z } from 'zod';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';

export const composeDirectory = fileURLToPath(new URL('../../docs/compose/', import.meta.url));

const texts = z.array(z.string());
const files = z.record(z.string(), z.object({ file: z.string() }));

const service = z.object({
  image: z.string(),
  build: z.object({ context: z.string(), dockerfile: z.string() }).optional(),
  command: texts.optional(),
  environment: z.record(z.string(), z.string()).default({}),
  secrets: texts.default([]),
  configs: z.array(z.object({ source: z.string(), target: z.string() })).default([]),
  volumes: texts.default([]),
  ports: texts.default([]),
  networks: texts,
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  healthcheck: z.object({ test: texts }).optional(),
  restart: z.string(),
  read_only: z.boolean(),
  cap_drop: texts,
  cap_add: texts.default([]),
  security_opt: texts,
  stop_grace_period: z.string().regex(/^\d+[sm]$/),
  mem_limit: z.string(),
});

const composeFile = z.object({
  services: z.record(z.string(), service),
  networks: z.record(z.string(), z.object({ internal: z.boolean().default(false) })),
  volumes: z.record(z.string(), z.unknown()),
  configs: files,
  secrets: files,
});

export type ComposeFile = z.output<typeof composeFile>;
export type ComposeService = ComposeFile['services'][string];

/** The variables of `.env`. */
export type Variables = Readonly<Record<string, string>>;

export async function readComposeFile(name: string, variables: Variables): Promise<ComposeFile> {
  const text = await readFile(join(composeDirectory, name), 'utf8');
  const filled = text.replace(/\$\{(\w+):\?[^}]*\}/g, (_, name: string) => variables[name] ?? '');
  return composeFile.parse(parse(filled, { merge: true }));
}

/** The variables in the file that an operator copies. */
export async function exampleVariables(): Promise<Variables> {
  const lines = (await readFile(join(composeDirectory, '.env.example'), 'utf8')).matchAll(/^(\w+)=(.*)$/gm);
  return Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value]));
}

/** Runs `make-secrets` in `directory`, a copy of `docs/compose`. */
export async function makeSecrets(directory: string): Promise<void> {
  const running = promisify(execFile)(join(directory, 'make-secrets'));
  running.child.stdin?.on('error', () => {}).end('secret-of-the-application\n');
  await running;
}

/** A copy of `docs/compose` with secrets. */
export async function composeCopy(): Promise<string> {
  const directory = await temporaryDirectory();
  // An operator may have secrets in this clone.
  const filter = (path: string) => !/\/(secrets|\.env)$/.test(path);
  await cp(composeDirectory, directory, { recursive: true, filter });
  await makeSecrets(directory);
  return directory;
}

/** The file with the settings of Redis for this machine: its paths are in `directory`, a copy of `docs/compose`. */
export async function localRedisConfig(directory: string): Promise<string> {
  const path = join(directory, 'local-redis.conf');
  const text = await readFile(join(directory, 'redis.conf'), 'utf8');
  await writeFile(
    path,
    text
      .replace(/^bind .*$/m, 'bind 127.0.0.1')
      .replace(/^dir .*$/m, `dir ${directory}`)
      .replace('/run/secrets/', `${directory}/secrets/`),
  );
  return path;
}
