/** The home folder of a person who has none of the settings of this machine. */
import { join } from 'node:path';
import { temporaryDirectory } from './auth/temporary-directory.helper.ts';

/** The variables with which programs find their folders, on every system. With `HOME` alone, those of Windows would use the real ones. */
export const homeIn = (home: string) => ({
  HOME: home,
  USERPROFILE: home,
  APPDATA: join(home, 'AppData', 'Roaming'),
  LOCALAPPDATA: join(home, 'AppData', 'Local'),
  XDG_CONFIG_HOME: join(home, '.config'),
  XDG_DATA_HOME: join(home, '.local', 'share'),
  XDG_STATE_HOME: join(home, '.local', 'state'),
  XDG_CACHE_HOME: join(home, '.cache'),
});

/** What a program needs of the environment of the tests. The options of Node.js make up for what a simulated system lacks. */
export const inherited: Readonly<Record<string, string>> = Object.fromEntries(
  ['PATH', 'NODE_OPTIONS'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);

/** Removed when the test ends. */
export const newHome = async () => homeIn(await temporaryDirectory());
