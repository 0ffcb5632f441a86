/**
 * The entry in the official MCP registry, server.json. `server` is what the registry's format of 2025-12-11 allows, as far
 * as an entry of this server uses it. The registry checks that the packages name the same server: npm by `mcpName` in
 * package.json, the image by its label `io.modelcontextprotocol.server.name`.
 */
import { z } from 'zod';
import { formFields } from './form-fields.ts';
import type { Owner } from './owner.ts';

const argument = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('positional'), value: z.string() }),
  z.strictObject({ type: z.literal('named'), name: z.string(), value: z.string().optional() }),
]);

const common = {
  transport: z.strictObject({ type: z.literal('stdio') }),
  runtimeHint: z.enum(['npx', 'docker']).optional(),
  runtimeArguments: z.array(argument).optional(),
  packageArguments: z.array(argument).optional(),
  environmentVariables: z
    .array(
      z.strictObject({
        name: z.string(),
        description: z.string(),
        format: z.enum(['string', 'boolean']),
        isSecret: z.boolean(),
      }),
    )
    .optional(),
};

const wholeVersion = z.string().regex(/^\d+\.\d+\.\d+$/);

export const server = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: wholeVersion,
  websiteUrl: z.url(),
  repository: z.strictObject({ url: z.url(), source: z.literal('github') }),
  icons: z.array(
    z.strictObject({
      src: z.url({ protocol: /^https$/ }).max(255),
      mimeType: z.literal('image/png'),
      sizes: z.array(z.string().regex(/^\d+x\d+$/)),
    }),
  ),
  packages: z.array(
    z.discriminatedUnion('registryType', [
      z.strictObject({
        registryType: z.literal('npm'),
        identifier: z.string(),
        version: wholeVersion,
        ...common,
      }),
      z.strictObject({
        registryType: z.literal('mcpb'),
        // The registry accepts bundles from releases only.
        identifier: z.string().regex(/^https:\/\/github\.com\/[^/]+\/[^/]+\/releases\/download\/.*\.mcpb$/),
        fileSha256: z.string().regex(/^[a-f0-9]{64}$/),
        ...common,
      }),
      z.strictObject({
        registryType: z.literal('oci'),
        identifier: z.string().regex(/^ghcr\.io\/[a-z0-9._/-]+:\d+\.\d+\.\d+$/),
        ...common,
      }),
    ]),
  ),
});

export type ServerJson = z.infer<typeof server>;

interface Release {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** Of the bundle, in hexadecimal. */
  readonly bundleSha256: string;
}

/** Throws if the registry would refuse the entry. */
export function serverJson(owner: Owner, { name, version, description, bundleSha256 }: Release): ServerJson {
  const transport = { type: 'stdio' } as const;
  const started = {
    transport,
    packageArguments: [{ type: 'positional', value: 'serve' } as const],
    environmentVariables: formFields.map((field) => ({
      name: field.variable,
      description: field.description,
      format: field.isFlag ? ('boolean' as const) : ('string' as const),
      isSecret: field.isSecret,
    })),
  };
  return server.parse({
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: owner.mcpName,
    title: 'Budget',
    description,
    version,
    websiteUrl: owner.homepage,
    repository: { url: owner.repository, source: 'github' },
    icons: [{ src: owner.icon, mimeType: 'image/png', sizes: ['512x512'] }],
    packages: [
      { registryType: 'npm', identifier: name, version, runtimeHint: 'npx', ...started },
      // The host asks for the values of the form, which is in the manifest of the bundle.
      { registryType: 'mcpb', identifier: owner.bundle, fileSha256: bundleSha256, transport },
      { registryType: 'oci', identifier: owner.image, runtimeHint: 'docker', ...started },
    ],
  } satisfies ServerJson);
}
