import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { bundleProgram } from '../../.ci/bundle-program.ts';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';

type Outputs = Awaited<ReturnType<typeof bundleProgram>>['outputs'];

/** The modules in these files. */
const modulesIn = (files: readonly (Outputs[string] | undefined)[]) =>
  files.flatMap((file) =>
    Object.entries(file?.inputs ?? {}).flatMap(([module, { bytesInOutput }]) =>
      bytesInOutput > 0 ? [module] : [],
    ),
  );

/** The files of the entry points, and all files that these import without `import()`. */
function filesLoadedWith(outputs: Outputs, entryPoints: readonly string[]) {
  const loaded = new Set(
    Object.keys(outputs).filter((file) => entryPoints.includes(outputs[file]?.entryPoint ?? '')),
  );
  for (const file of loaded)
    for (const { path, kind } of outputs[file]?.imports ?? [])
      if (kind === 'import-statement' && path in outputs) loaded.add(path);
  return [...loaded].map((file) => outputs[file]);
}

it('the program has the messages of zod in English only, because Node.js parses them at each start', async () => {
  const { outputs } = await bundleProgram(await temporaryDirectory());
  const languages = modulesIn(Object.values(outputs))
    .filter((module) => module.includes('zod/v4/locales/'))
    .map((module) => basename(module));
  expect(languages).toEqual(['en.js']);
});

it('the program lists its tools without loading operations, schemas, tools and formats, which take half of a start', async () => {
  const { outputs } = await bundleProgram(await temporaryDirectory());
  const loaded = modulesIn(filesLoadedWith(outputs, ['src/program.ts', 'src/app/commands/serve.ts']));
  expect(loaded).toContain('src/mcp/default-tools.ts');
  const unneeded = /^src\/(answers|base\/schema|features|model|operations|service|session)\//;
  expect(loaded.filter((module) => unneeded.test(module)).toSorted()).toEqual([
    'src/answers/view-data/version.ts',
    'src/operations/consent.ts',
    'src/operations/toolsets.ts',
    'src/session/http/http-sender.ts',
  ]);
});

it('a server that nobody signs in to loads nothing of hosting', async () => {
  const { outputs } = await bundleProgram(await temporaryDirectory());
  const isOfHosting = (module: string) =>
    /^src\/(hosting\/|app\/compose\/(compose-)?hosted\.ts)|\/(oidc-provider|koa|jose)\//.test(module);
  expect(modulesIn(Object.values(outputs)).some(isOfHosting)).toBe(true);
  const local = [
    'src/program.ts',
    'src/app/commands/serve.ts',
    'src/app/compose/compose-server.ts',
    'src/transports/http.ts',
  ];
  expect(modulesIn(filesLoadedWith(outputs, local)).filter(isOfHosting)).toEqual([]);
  const hosted = [...local, 'src/app/compose/hosted.ts', 'src/app/compose/compose-hosted.ts'];
  expect(modulesIn(filesLoadedWith(outputs, hosted)).some(isOfHosting)).toBe(true);
});

it('the program loads what describes skills only for a host that asks for them', async () => {
  const { outputs } = await bundleProgram(await temporaryDirectory());
  const isOfSkills = (module: string) =>
    /\/@modelcontextprotocol\/.*(\/ext\/skills\/|\/extension-)/.test(module);
  expect(modulesIn(Object.values(outputs)).some(isOfSkills)).toBe(true);
  const entryPoints = ['src/program.ts', 'src/app/commands/serve.ts', 'src/app/compose/compose-server.ts'];
  expect(modulesIn(filesLoadedWith(outputs, entryPoints)).filter(isOfSkills)).toEqual([]);
});

it('a server without metrics loads nothing of them', async () => {
  const { outputs } = await bundleProgram(await temporaryDirectory());
  const isOfMetrics = (module: string) =>
    /^src\/app\/metrics\/|\/(prom-client|@opentelemetry|tdigest)\//.test(module);
  expect(modulesIn(Object.values(outputs)).some(isOfMetrics)).toBe(true);
  const entryPoints = [
    'src/program.ts',
    'src/app/commands/serve.ts',
    'src/app/compose/compose-server.ts',
    'src/app/compose/compose-hosted.ts',
    'src/transports/http.ts',
  ];
  expect(modulesIn(filesLoadedWith(outputs, entryPoints)).filter(isOfMetrics)).toEqual([]);
});
