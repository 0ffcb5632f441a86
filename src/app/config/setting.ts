/** The form of a setting, and the kinds of values that several settings have. */
import { z } from 'zod';

export type CommandName = 'serve' | 'login' | 'logout' | 'status' | 'doctor' | 'forget';

/** What the table says about a setting. Its flag and its variable come from its name. */
export interface SettingEntry {
  /** What follows the flag, such as `<path>`. Otherwise the flag stands alone. */
  readonly takes?: string;
  /** A secret has none, because other users can read arguments. */
  readonly hasFlag?: false;
  /** A variable that another program names. */
  readonly variable?: string;
  /** Without the default value, which comes from the schema. */
  readonly help: string;
  /** By default only `serve`. */
  readonly commands?: readonly CommandName[];
  /** `serve` takes it only with `--hosted`. */
  readonly isHostedOnly?: true;
  /** Deleted from the environment after it is read, so that no child process inherits it. */
  readonly isSecret?: true;
  /** The field in the installation form of the bundle, if any. */
  readonly form?: { readonly title: string; readonly note?: string };
}

export const entries = z.registry<SettingEntry>();

/** Registers a copy of `schema`, because two settings may have the same one. */
export function setting<Schema extends z.ZodType>(schema: Schema, entry: SettingEntry): Schema {
  const copy = schema.clone();
  entries.add(copy, entry);
  return copy;
}

export const onOff = z
  .union([z.boolean(), z.stringbool()], { error: 'must be true or false' })
  .default(false);

export const wholeNumber = z
  .string()
  .regex(/^\d{1,6}$/, { error: 'must be a whole number', abort: true })
  .transform(Number);

export const portNumber = wholeNumber.refine((port) => port <= 65_535, 'must be at most 65535');

/** Elements with commas between them. */
export const listOf = <Element extends z.ZodType<string, string>>(element: Element) =>
  z
    .string()
    .transform((text) => text.split(',').map((each) => each.trim()))
    .pipe(z.array(element))
    .exactOptional();

/** Too long to be guessed, and of characters that a header allows (RFC 6750, section 2.1). */
export const httpToken = z
  .string()
  .regex(/^[A-Za-z0-9._~+/-]{32,}=*$/, 'must be at least 32 letters, digits or characters of -._~+/');

export const SIGN_IN: readonly CommandName[] = ['serve', 'login', 'logout', 'status', 'doctor'];

export const DEFAULT_PROFILE = 'default';

/** The words of a command for a profile. */
export const profileOption = (profile: string): readonly string[] =>
  profile === DEFAULT_PROFILE ? [] : ['--profile', profile];

/** The name of a sign-in. It is also that of a keychain entry and a file. */
export const profileName = z
  .string()
  .regex(/^[a-z0-9_-]{1,32}$/, 'must be 1 to 32 small letters, digits, underscores and hyphens');
