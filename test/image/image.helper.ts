/**
 * Builds the image of the Containerfile without a daemon and without a registry of images: Buildah, with stand-ins for the
 * two bases. The stand-in for Debian has only the packages below, from this machine. The one for Node.js has Node.js from
 * the npm registry and this machine's npm in addition.
 */
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';

const root = fileURLToPath(new URL('../../', import.meta.url));

const hasAll = ['buildah', 'runc', 'dpkg-query'].every((program) => !spawnSync(program, ['--version']).error);
const isRoot = process.getuid?.() === 0;

/** For `describe.skipIf`. Without root, containers cannot be mounted, and nothing is required. */
export const noBuilder = !isRoot || (!hasAll && process.env['REQUIRE_ALL'] !== '1');

if (noBuilder) process.stderr.write('SKIPPED: tests of the image, which need Buildah, runc and root.\n');

/** A file with the certificate authorities that this machine trusts in addition, and its path in the build. */
const authorities = process.env['NODE_EXTRA_CA_CERTS'];
const AUTHORITIES = '/root/authorities.pem';

/** Every Debian image has them. */
const basePackages =
  'base-files base-passwd coreutils dash grep libacl1 libattr1 libc6 libgcc-s1 libgmp10 libpcre2-8-0 libselinux1 libstdc++6';

const run = async (command: string, ...args: string[]) => {
  const { stdout } = await promisify(execFile)(command, args, { cwd: root, maxBuffer: 2 ** 26 });
  return stdout.trim();
};

/** What the image says about how it is run. */
const imageConfig = z.object({
  Docker: z.object({
    config: z.object({
      User: z.string(),
      Env: z.array(z.string()),
      Entrypoint: z.array(z.string()),
      Cmd: z.array(z.string()),
      Volumes: z.record(z.string(), z.unknown()),
      ExposedPorts: z.record(z.string(), z.unknown()),
      Healthcheck: z.object({ Test: z.tuple([z.literal('CMD-SHELL'), z.string()]) }),
    }),
  }),
});

type ImageConfig = z.output<typeof imageConfig>['Docker']['config'];

export interface BuiltImage {
  readonly config: ImageConfig;
  /** The directory with all files of the image. */
  readonly rootfs: string;
  /** The paths of the files that the base does not have. */
  readonly added: readonly string[];
  /** The bytes of the compressed layers that are added to the base. */
  readonly compressedSize: number;
  /** Unmounts and removes everything. */
  remove(): Promise<void>;
}

/** The names of the bases. */
async function readBases() {
  const text = await readFile(join(root, 'Containerfile'), 'utf8');
  const nameOf = (argument: string) => new RegExp(`^ARG ${argument}=(\\S+)$`, 'm').exec(text)?.[1] ?? '';
  return { node: nameOf('NODE_IMAGE'), debian: nameOf('BASE_IMAGE') };
}

/** `directory` is empty, and removed afterwards by the test. */
export async function buildImage(directory: string): Promise<BuiltImage> {
  const storage = ['--root', join(directory, 'storage'), '--runroot', join(directory, 'run')];
  const buildah = (...args: string[]) => run('buildah', ...storage, ...args);
  /** Commits what `fill` puts into a container of `from`. */
  const createImage = async (name: string, from: string, fill: (mounted: string) => Promise<void>) => {
    const container = await buildah('from', '--pull-never', from);
    await fill(await buildah('mount', container));
    await buildah('commit', '--quiet', '--rm', container, name);
  };
  const bases = await readBases();
  await createImage(bases.debian, 'scratch', copyDebian);
  await createImage(bases.node, bases.debian, (mounted) => copyNode(mounted, directory, bases.node));
  await buildah(
    ...['build', '--isolation', 'chroot', '--network', 'host', '--pull-never', '--format', 'docker'],
    ...['--volume', `${await run('npm', 'config', 'get', 'cache')}:/root/.npm`],
    ...['--volume', `${await writeNpmConfig(directory)}:/root/.npmrc:ro`],
    ...(authorities === undefined ? [] : ['--volume', `${authorities}:${AUTHORITIES}:ro`]),
    ...['--file', 'Containerfile', '--tag', 'budget-mcp', '.'],
  );
  const config = imageConfig.parse(JSON.parse(await buildah('inspect', '--type', 'image', 'budget-mcp')));
  const mount = async (image: string) => buildah('mount', await buildah('from', '--pull-never', image));
  const [rootfs, base] = [await mount('budget-mcp'), await mount(bases.debian)];
  const inBase = new Set(await filesIn(base));
  return {
    config: config.Docker.config,
    rootfs,
    added: (await filesIn(rootfs)).filter((path) => !inBase.has(path)).toSorted(),
    compressedSize: await measure(
      async (out) => buildah('push', '--quiet', 'budget-mcp', `dir:${out}`),
      directory,
    ),
    async remove() {
      await buildah('rm', '--all');
    },
  };
}

/** Today's Debian has its programs and libraries in `/usr`, with links to them in `/`. */
async function copyDebian(mounted: string): Promise<void> {
  const script = `
    mkdir -p usr/bin usr/sbin usr/lib usr/lib64 usr/local/bin dev etc proc root run tmp
    for name in bin sbin lib lib64; do ln -s usr/$name $name; done
    dpkg-query --listfiles ${basePackages} | grep '^/' | grep -vE '^/usr/share/(doc|man|locale|info)/' |
      while read -r path; do [ -d "$path" ] && [ ! -L "$path" ] || echo "$path"; done |
      tar --create --directory / --files-from - | tar --extract --keep-directory-symlink
    cp usr/share/base-passwd/passwd.master etc/passwd
    cp usr/share/base-passwd/group.master etc/group`;
  await run('sh', '-ec', `cd ${mounted} && ${script}`);
}

async function copyNode(mounted: string, directory: string, image: string): Promise<void> {
  const [, version = ''] = /:([\d.]+)-/.exec(image) ?? [];
  const packed = join(directory, 'node');
  await mkdir(packed);
  const name = `node-linux-${process.arch}@${version}`;
  await run('npm', 'pack', '--prefer-offline', '--silent', `--pack-destination=${packed}`, name);
  const script = `
    tar -xzf ${packed}/*.tgz -C ${packed}
    install -m 755 ${packed}/package/bin/node bin/node
    install -m 644 ${packed}/package/LICENSE LICENSE
    mkdir -p lib/node_modules
    cp -R "$(npm root --global)/npm" lib/node_modules/npm
    ln -s ../lib/node_modules/npm/bin/npm-cli.js bin/npm`;
  await run('sh', '-ec', `cd ${mounted}/usr/local && ${script}`);
}

/** With the cache and the certificate authorities of this machine. */
async function writeNpmConfig(directory: string): Promise<string> {
  const own = await readFile(await run('npm', 'config', 'get', 'userconfig'), 'utf8').catch(() => '');
  const path = join(directory, 'npmrc');
  const more = ['prefer-offline=true', ...(authorities === undefined ? [] : [`cafile=${AUTHORITIES}`])];
  await writeFile(path, [own, ...more, ''].join('\n'));
  return path;
}

async function filesIn(directory: string): Promise<string[]> {
  return (await run('find', directory, '!', '-type', 'd', '-printf', '%P\n')).split('\n');
}

/** Without the smallest parts, which describe the image, and the layer of the base. */
async function measure(push: (out: string) => Promise<unknown>, directory: string): Promise<number> {
  const out = join(directory, 'pushed');
  await push(out);
  const manifest = z.object({ layers: z.array(z.object({ size: z.number() })) });
  const { layers } = manifest.parse(JSON.parse(await readFile(join(out, 'manifest.json'), 'utf8')));
  return layers.slice(1).reduce((sum, { size }) => sum + size, 0);
}
