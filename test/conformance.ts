/**
 * `npm run conformance`: the official tests of the protocol, with the demo over HTTP. A check that needs a fixture of a test
 * server, or a part of the protocol that this server does not support, is listed here with the reason. All other checks
 * must pass, and the listed ones must fail for that reason.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { startHttpProgram } from './http-program.helper.ts';
import { node22 } from './node-22.helper.ts';

const conformance = [
  ...node22,
  '--package=@modelcontextprotocol/conformance@0.2.0-alpha.12',
  'conformance',
  'server',
];

const versions = ['2025-11-25', '2026-07-28'] as const;

interface Reason {
  readonly why: string;
  /** The message of the failed check. */
  readonly says: RegExp;
}

const fixture: Reason = {
  why: 'asks for a tool, prompt or resource that a server has only for these tests',
  says: /\b(test_|json_schema_2020_12_)\w+|test:\/\//,
};
const state: Reason = {
  why: 'asks such a tool for a state that it hands out; we hand out none, the budget is all the state there is',
  says: /InputRequiredResult/,
};
const logging: Reason = {
  why: 'logging by the protocol is deprecated, and not offered',
  says: /Method not found/,
};
const customHeaders: Reason = {
  why: 'no argument of our tools is mirrored in a header',
  says: /no tool with x-mcp-header/,
};
const changes: Reason = {
  why: 'changes the lists by such a tool; ours change only when a token turns out to be read-only',
  says: /^Mutated the \w+ list/,
};
const resumption: Reason = {
  why: 'a stream that was cut off is not resumed; a repeated request gets the same result',
  says: /Server did not send (priming event|retry field)/,
};

/** The reason for which a check does not apply. */
const inapplicable: Readonly<Record<string, Reason>> = {
  'completion-complete': fixture,
  'tools-call-simple-text': fixture,
  'tools-call-image': fixture,
  'tools-call-audio': fixture,
  'tools-call-embedded-resource': fixture,
  'tools-call-mixed-content': fixture,
  'tools-call-error': fixture,
  'tools-call-with-progress': fixture,
  'tools-call-sampling': fixture,
  'tools-call-elicitation': fixture,
  'elicitation-sep1034-general': fixture,
  'elicitation-sep1330-general': fixture,
  'json-schema-2020-12-tool-found': fixture,
  'resources-read-text': fixture,
  'resources-read-binary': fixture,
  'resources-templates-read': fixture,
  'resources-subscribe': fixture,
  'resources-unsubscribe': fixture,
  'prompts-get-simple': fixture,
  'prompts-get-with-args': fixture,
  'prompts-get-embedded-resource': fixture,
  'prompts-get-with-image': fixture,
  'sep-2322-elicitation-incomplete': fixture,
  'sep-2322-sampling-incomplete': fixture,
  'sep-2322-list-roots-incomplete': fixture,
  'sep-2322-request-state-incomplete': fixture,
  'sep-2322-multiple-inputs-incomplete': fixture,
  'sep-2322-non-tool-incomplete': fixture,
  'sep-2322-result-type-included': fixture,
  'sep-2322-respect-client-capabilities': fixture,
  'sep-2322-ignore-unexpected-params': fixture,
  'sep-2322-multi-round-r1': state,
  'sep-2322-reject-tampered-state': state,
  'sep-2322-missing-response-rerequests': state,
  'sep-2575-server-rejects-undeclared-capability': fixture,
  'sep-2575-missing-capability-http-400': fixture,
  'sep-2575-http-server-no-independent-requests-on-stream': fixture,
  'sep-2575-server-no-log-without-loglevel': fixture,
  'sep-2575-server-sends-tools-list-changed-on-subscription': changes,
  'sep-2575-server-sends-prompts-list-changed-on-subscription': changes,
  'logging-set-level': logging,
  'tools-call-with-logging': logging,
  'sep-2243-server-no-xmcp-tool': customHeaders,
  'sep-2243-server-decode-base64': customHeaders,
  'sep-2243-server-validate-param-match': customHeaders,
  'sep-2243-server-reject-invalid-param-chars': customHeaders,
  'sep-2243-server-reject-param-mismatch': customHeaders,
  'server-sse-priming-event': resumption,
  'server-sse-retry-field': resumption,
};

const checks = z.array(
  z.object({
    id: z.string(),
    status: z.enum(['SUCCESS', 'INFO', 'SKIPPED', 'WARNING', 'FAILURE']),
    errorMessage: z.string().optional(),
  }),
);

/** Every check of every scenario for this version of the protocol, without extensions. */
async function checked(url: string, version: string) {
  const directory = mkdtempSync(join(tmpdir(), 'budget-mcp-conformance-'));
  try {
    const args = ['--url', url, '--suite', 'all', '--spec-version', version, '--output-dir', directory];
    // The exit code is not 0 if a check fails. The files show which. Without files it did not run.
    const { stderr } = await new Promise<{ stderr: string }>((resolve) => {
      execFile('npx', [...conformance, ...args], { maxBuffer: 2 ** 26 }, (_, __, stderr) =>
        resolve({ stderr }),
      );
    });
    const scenarios = readdirSync(directory);
    if (scenarios.length === 0) throw new Error(`The conformance tests did not run: ${stderr}`);
    return scenarios.flatMap((scenario) =>
      checks.parse(JSON.parse(readFileSync(join(directory, scenario, 'checks.json'), 'utf8'))),
    );
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function run(): Promise<string[]> {
  const problems: string[] = [];
  const excused = new Set<string>();
  const server = await startHttpProgram();
  try {
    for (const version of versions) {
      const all = await checked(server.url, version);
      const counted = { passed: 0, inapplicable: 0 };
      for (const { id, status, errorMessage = '' } of all) {
        if (status !== 'FAILURE' && status !== 'WARNING') {
          if (status === 'SUCCESS') counted.passed += 1;
          continue;
        }
        if (inapplicable[id]?.says.test(errorMessage)) {
          excused.add(id);
          counted.inapplicable += 1;
        } else problems.push(`${version} ${id}: ${status} ${errorMessage}`);
      }
      process.stdout.write(
        `${version}: ${counted.passed} checks passed, ${counted.inapplicable} do not apply\n`,
      );
    }
  } finally {
    await server.stop();
  }
  const needless = Object.keys(inapplicable).filter((id) => !excused.has(id));
  return [...problems, ...needless.map((id) => `${id} is listed as not applying, but did not fail`)];
}

if (process.argv[2] === '--run') {
  const problems = await run();
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  process.exit(problems.length > 0 ? 1 : 0);
}
