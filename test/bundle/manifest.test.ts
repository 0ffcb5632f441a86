import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { infoOf, settingNames } from '../../src/app/config/settings.ts';
import { mcpb } from './bundle.ts';
import { manifest, readManifest } from './manifest.ts';

const schema = z.object({
  server: z.object({ mcp_config: z.object({ env: z.record(z.string(), z.string()) }) }),
  user_config: z.record(z.string(), z.looseObject({ sensitive: z.boolean().optional() })),
});

describe('the manifest', () => {
  test('manifest.json is what npm run generate writes', async () => {
    expect(readManifest()).toBe(await manifest());
  });

  test('the manifest is valid in the repository too, with its icon', () => {
    expect(mcpb('validate', fileURLToPath(new URL('../../manifest.json', import.meta.url)))).toContain(
      'Manifest schema validation passes!',
    );
  });

  test('the manifest passes each form field in an environment variable, and marks only the token as sensitive', () => {
    const { server, user_config } = schema.parse(JSON.parse(readManifest()));
    const { env } = server.mcp_config;
    expect(Object.values(env)).toEqual(Object.keys(user_config).map((name) => `$\{user_config.${name}}`));
    const variables = settingNames.map((name) => infoOf(name).variable);
    expect(Object.keys(env).filter((variable) => !variables.includes(variable))).toEqual([]);
    const secret = Object.keys(user_config).filter((name) => user_config[name]?.sensitive);
    expect(secret).toEqual(['token']);
  });
});
