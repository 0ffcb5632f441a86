/**
 * The addresses of the project. Only its owner knows them, so package.json has none until `npm run owner` writes them.
 * Everything that is published takes them from here.
 */
import { z } from 'zod';

/** The repository is on GitHub, because the release workflow and the registry entry use its releases and images. */
const repositoryUrl = /^(?:git\+)?(https:\/\/github\.com\/([\w.-]+)\/([\w.-]+?))(?:\.git)?$/;

/** The fields of package.json that come from the owner. */
const fields = z.object({
  author: z.object({ name: z.string(), email: z.string().optional(), url: z.url().optional() }),
  repository: z.object({ type: z.literal('git'), url: z.string().regex(repositoryUrl) }),
  homepage: z.url(),
  bugs: z.object({ url: z.url() }),
  mcpName: z.string().regex(/^[\w.-]+\/[\w.-]+$/),
});

export interface Owner {
  readonly author: z.infer<typeof fields>['author'];
  /** The name in the official MCP registry. */
  readonly mcpName: string;
  readonly repository: string;
  readonly homepage: string;
  readonly support: string;
  /** The addresses of one version. */
  readonly privacyPolicy: string;
  readonly icon: string;
  readonly bundle: string;
  readonly image: string;
}

export const howToSet = "npm run owner -- https://github.com/<owner>/<repository> '<name of the author>'";

/** Undefined as long as package.json has none of the fields. Throws an error that names those that are missing or wrong. */
export function ownerOf(packageJson: Readonly<Record<string, unknown>>): Owner | undefined {
  const names = Object.keys(fields.shape);
  if (!names.some((name) => name in packageJson)) return undefined;
  return parseOwner(packageJson);
}

/** For a release. Throws an error that names the fields of package.json that are missing or wrong. */
export function parseOwner(packageJson: Readonly<Record<string, unknown>>): Owner {
  const { data, error } = fields.safeParse(packageJson);
  if (!data) {
    const names = [...new Set(error.issues.map(({ path }) => String(path[0])))].join(', ');
    throw new Error(`package.json needs from the owner of the project: ${names}. To write them: ${howToSet}`);
  }
  const { name, version } = z.object({ name: z.string(), version: z.string() }).parse(packageJson);
  const [, repository = '', owner = '', repositoryName = ''] = repositoryUrl.exec(data.repository.url) ?? [];
  return {
    author: data.author,
    mcpName: data.mcpName,
    repository,
    homepage: data.homepage,
    support: data.bugs.url,
    privacyPolicy: `${repository}/blob/v${version}/docs/privacy.md`,
    icon: `https://raw.githubusercontent.com/${owner}/${repositoryName}/v${version}/src/mcp/icon.png`,
    bundle: `${repository}/releases/download/v${version}/${name}.mcpb`,
    // Names of images have no capitals.
    image: `ghcr.io/${owner.toLowerCase()}/${name}:${version}`,
  };
}

/** The fields for this repository. Throws if it is not on GitHub. */
export function fieldsFor(url: string, author: string, name: string): z.infer<typeof fields> {
  const [, repository, owner] = repositoryUrl.exec(url) ?? [];
  if (!repository || !owner || author === '') throw new Error(`Usage: ${howToSet}`);
  return {
    author: { name: author },
    repository: { type: 'git', url: `git+${repository}.git` },
    homepage: `${repository}#readme`,
    bugs: { url: `${repository}/issues` },
    mcpName: `io.github.${owner}/${name}`,
  };
}
