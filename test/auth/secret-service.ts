/**
 * A real Secret Service with a session bus of its own, in a throw-away home, in any state that a keychain can be in.
 * Where it cannot be had, its tests are skipped, loudly; with REQUIRE_ALL=1 they fail.
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
  /** It can be used. */
  | 'unlocked'
  /** Nobody has ever had a keyring here. */
  | 'empty'
  /** There is a bus, but no Secret Service on it. */
  | 'absent';

export interface SecretService {
  /** What a program needs to find it. */
  readonly env: Readonly<Record<string, string>>;
  /** The secret of a profile, as a program that is not ours sees it; empty where there is none. */
  lookup(profile: string): Promise<string>;
  /** Has another program put something where ours goes. */
  plant(profile: string, secret: string | Buffer): Promise<void>;
  lock(): Promise<void>;
  /** Stands still until the test ends. */
  freeze(): Promise<void>;
}

export interface SessionOptions {
  readonly keyring?: KeyringState;
  /** Somebody is there to unlock it, and never does; `onPrompt` hears of it. Otherwise nobody is there at all. */
  readonly onPrompt?: () => void;
}

/** Ends with the test that starts it. */
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
  // The bus starts it when it is first asked for, and holds the question until it is there.
  const unlock = keyring === 'unlocked' ? `--unlock <${home}/password` : '';
  const daemon = `echo $$ >${pidFile}; exec gnome-keyring-daemon --foreground --components=secrets ${unlock}`;
  const activate = (name: string, command: string) =>
    writeFile(
      join(services, `${name}.service`),
      `[D-BUS Service]\nName=${name}\nExec=/bin/sh -c '${command}'\n`,
    );
  if (keyring !== 'absent') await activate('org.freedesktop.secrets', daemon);
  if (onPrompt) {
    // It notes that it was asked, and leaves the bus waiting for it.
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
      // The session lasts for as long as we hold its input.
      'echo "$DBUS_SESSION_BUS_ADDRESS"; exec cat',
    ],
    { env: { PATH: process.env['PATH'], ...places }, stdio: ['pipe', 'pipe', 'ignore'] },
  );
  const ended = once(session, 'close');
  onTestFinished(async () => {
    const pid = await readFile(pidFile, 'utf8').catch(() => '');
    // It may stand still.
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
    // It may have ended by then, having asked for none.
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

/** Without the services of this machine, which would start its own keyring and its own prompts. */
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
