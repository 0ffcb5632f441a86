/**
 * A real Secret Service with its own session bus in a temporary home, in any state that a keychain can have. If it is not
 * installed, its tests are skipped with a message; with REQUIRE_ALL=1 they fail.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, watch } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

const programs = ['dbus-run-session', 'dbus-send', 'gnome-keyring-daemon', 'secret-tool'];

const missing = programs.filter(
  (program) =>
    !(process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, program))),
);
const isRequired = process.env['REQUIRE_ALL'] === '1';

/** For `describe.skipIf` and `test.skipIf`. */
export const noSecretService = missing.length > 0 && !isRequired;

if (noSecretService)
  process.stderr.write(`SKIPPED: tests with a Secret Service, for there is no ${missing.join(', ')}.\n`);

export type KeyringState =
  /** Can be used. */
  | 'unlocked'
  /** No keyring was ever created. */
  | 'empty'
  /** There is a bus, but without a Secret Service. */
  | 'absent';

export interface SecretService {
  /** The environment variables that a program needs to find it. */
  readonly env: Readonly<Record<string, string>>;
  /** The secret of a profile, as another program reads it. Empty if there is none. */
  lookup(profile: string): Promise<string>;
  /** Lets another program write the entry of a profile. */
  plant(profile: string, secret: string | Buffer): Promise<void>;
  lock(): Promise<void>;
  /** Suspends the Secret Service until the test ends. */
  freeze(): Promise<void>;
}

export interface SessionOptions {
  readonly keyring?: KeyringState;
  /** There is a prompt that is never answered. `onPrompt` is called when it opens. Without it there is no prompt. */
  readonly onPrompt?: () => void;
}

/** Ends when the test ends. */
export async function startSecretService({
  keyring = 'unlocked',
  onPrompt,
}: SessionOptions = {}): Promise<SecretService> {
  if (missing.length > 0) throw new Error(`There is no ${missing.join(', ')}.`);
  const home = await mkdtemp(join(tmpdir(), 'secret-service-'));
  const services = join(home, 'services');
  await mkdir(services);
  await mkdir(join(home, 'run'), { mode: 0o700 });
  await writeFile(join(home, 'bus.conf'), busConfiguration(home));
  await writeFile(join(home, 'password'), 'the password of the keyring');
  const pidFile = join(home, 'pid');
  // The bus starts it with the first request, and delays the request until it has started.
  const unlock = keyring === 'unlocked' ? `--unlock <${home}/password` : '';
  const daemon = `echo $$ >${pidFile}; exec gnome-keyring-daemon --foreground --components=secrets ${unlock}`;
  const activate = (name: string, command: string) =>
    writeFile(
      join(services, `${name}.service`),
      `[D-BUS Service]\nName=${name}\nExec=/bin/sh -c '${command}'\n`,
    );
  if (keyring !== 'absent') await activate('org.freedesktop.secrets', daemon);
  if (onPrompt) {
    // It records that it was started, and never answers the bus.
    await activate('org.gnome.keyring.SystemPrompter', `echo yes >${home}/prompted`);
    const watcher = watch(home, (_, name) => name === 'prompted' && onPrompt());
    onTestFinished(() => watcher.close());
  }

  const places = { HOME: home, XDG_RUNTIME_DIR: join(home, 'run') };
  const session = spawn(
    'dbus-run-session',
    [
      `--config-file=${home}/bus.conf`,
      '--',
      'sh',
      '-c',
      // The session runs until its input is closed.
      'echo "$DBUS_SESSION_BUS_ADDRESS"; exec cat',
    ],
    { env: { PATH: process.env['PATH'], ...places }, stdio: ['pipe', 'pipe', 'ignore'] },
  );
  const ended = once(session, 'close');
  onTestFinished(async () => {
    const pid = await readFile(pidFile, 'utf8').catch(() => '');
    // It may be suspended.
    if (pid) process.kill(Number(pid), 'SIGKILL');
    session.stdin.end();
    await ended;
    await rm(home, { recursive: true, force: true });
  });
  const [address] = await once(session.stdout, 'data');
  const env = { ...places, DBUS_SESSION_BUS_ADDRESS: String(address).trim() };
  const run = (program: string, args: string[], input: string | Buffer = '') => {
    const running = promisify(execFile)(program, args, {
      env: { ...env, PATH: process.env['PATH'] },
    });
    // It may have ended already without a prompt.
    running.child.stdin?.on('error', () => {}).end(input);
    return running;
  };
  const attributes = (profile: string) => ['service', 'budget-mcp', 'username', profile];
  return {
    env,
    lookup: (profile) =>
      run('secret-tool', ['lookup', ...attributes(profile)]).then(
        ({ stdout }) => stdout,
        () => '',
      ),
    async plant(profile, secret) {
      await run('secret-tool', ['store', '--label=planted', ...attributes(profile)], secret);
    },
    async lock() {
      const path = '/org/freedesktop/secrets';
      const collection = `array:objpath:${path}/collection/login`;
      const call = ['--session', '--print-reply', '--dest=org.freedesktop.secrets', path];
      await run('dbus-send', [...call, 'org.freedesktop.Secret.Service.Lock', collection]);
    },
    async freeze() {
      process.kill(Number(await readFile(pidFile, 'utf8')), 'SIGSTOP');
    },
  };
}

/** Without the services of this machine, which would start another keyring and its prompts. */
const busConfiguration = (home: string) => `
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
  "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:dir=${home}/run</listen>
  <servicedir>${home}/services</servicedir>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
  <limit name="service_start_timeout">600000</limit>
</busconfig>
`;
