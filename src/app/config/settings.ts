/**
 * Every setting once: schema, default, flag, variable, help and commands. `Config`, the command line, the tables of the
 * documents and the form of the bundle are derived from this table.
 */
import { hostedSettings, httpSettings } from './http-settings.ts';
import { serverSettings } from './server-settings.ts';
import { type CommandName, entries } from './setting.ts';

export const shape = { ...serverSettings, ...httpSettings, ...hostedSettings } as const;

export type SettingName = keyof typeof shape;

export const isSettingName = (name: PropertyKey): name is SettingName => Object.hasOwn(shape, name);

export const settingNames: readonly SettingName[] = Object.keys(shape).filter(isSettingName);

export function infoOf(name: SettingName) {
  const entry = entries.get(shape[name]);
  if (!entry) throw new Error(`The setting ${name} has no entry in the table.`);
  const { takes, hasFlag = true, variable } = entry;
  const words = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return {
    ...entry,
    /** The table of the documents that lists it. Settings of other programs are in none. */
    table: variable === undefined ? tableOf(name) : undefined,
    // With what follows it, such as `--token-file <path>`.
    ...(hasFlag && { flag: takes === undefined ? `--${words}` : `--${words} ${takes}` }),
    variable: variable ?? `BUDGET_MCP_${words.replaceAll('-', '_').toUpperCase()}`,
  };
}

function tableOf(name: SettingName) {
  if (name in serverSettings) return 'server';
  return name in httpSettings ? 'http' : 'hosted';
}

/** With the default value, if there is one, as a person would type it. */
export function helpOf(name: SettingName): string {
  const { help } = infoOf(name);
  const value = shape[name].safeParse(undefined).data;
  return value === undefined || value === false ? help : `${help} (default: ${value})`;
}

export const settingsOf = (command: CommandName): readonly SettingName[] =>
  settingNames.filter((name) => (infoOf(name).commands ?? ['serve']).includes(command));

/** The settings of a server that a host starts by itself, on standard input and output. */
export const stdioSettings: readonly SettingName[] = settingsOf('serve').filter((name) => {
  const { table, isHostedOnly } = infoOf(name);
  return table !== 'http' && table !== 'hosted' && !isHostedOnly;
});
