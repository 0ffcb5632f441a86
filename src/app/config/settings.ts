/**
 * Every setting once: schema, default, flag, variable, help and commands. `Config`, the command line, the tables of the
 * documents and the form of the bundle are derived from this table.
 */
import { httpSettings } from './http-settings.ts';
import { serverSettings } from './server-settings.ts';
import { type CommandName, infoOfSchema, type SettingInfo } from './setting.ts';

export const shape = { ...serverSettings, ...httpSettings } as const;

export type SettingName = keyof typeof shape;

export const isSettingName = (name: PropertyKey): name is SettingName => Object.hasOwn(shape, name);

export const settingNames: readonly SettingName[] = Object.keys(shape).filter(isSettingName);

export function infoOf(name: SettingName): SettingInfo {
  const info = infoOfSchema(shape[name]);
  if (!info) throw new Error(`The setting ${name} has no entry in the table.`);
  return info;
}

/** The default value as a person would type it. Undefined if there is none. */
export function defaultOf(name: SettingName): string | undefined {
  const value = shape[name].safeParse(undefined).data;
  return value === undefined || value === false ? undefined : String(value);
}

/** The help text with the default value. */
export function helpOf(name: SettingName): string {
  const value = defaultOf(name);
  return infoOf(name).help + (value === undefined ? '' : ` (default: ${value})`);
}

/** The settings that a command takes. */
export const settingsOf = (command: CommandName): readonly SettingName[] =>
  settingNames.filter((name) => (infoOf(name).commands ?? ['serve']).includes(command));

/** The settings of a server that a host starts by itself, on standard input and output. */
export const stdioSettings: readonly SettingName[] = settingsOf('serve').filter((name) => {
  const { table, isHostedOnly } = infoOf(name);
  return table !== 'http' && table !== 'hosted' && !isHostedOnly;
});
