import { json } from 'node:stream/consumers';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { sendJson, serveHttp } from '../local-server.helper.ts';
import { taskWith } from './conversation.helper.ts';
import { accountNamed } from './export.ts';
import { readRuns } from './recording.ts';
import { deviations, replay } from './replay.ts';
import { run } from './run.ts';

/** Two questions; the second one is meant to go wrong. */
const task = taskWith({
  kind: 'figure',
  says: ['How much is in the wallet?', 'And on the checking account?'],
  expected: (before) => ({
    results: [[accountNamed(before, 'Wallet').balance / 1_000], ['never']],
    changes: [],
  }),
});
const source = { ids: () => ['figure-01-wallet', 'write-01-other'], load: async () => task };

const requestSchema = z.object({
  model: z.literal('scripted'),
  messages: z.array(z.object({ role: z.string(), content: z.string().nullish() })).min(2),
  tools: z.array(z.object({ type: z.literal('function'), function: z.object({ name: z.string() }) })),
});

/** A model that asks for the account that it was asked about, and gives its balance. */
async function scriptedEndpoint() {
  const requests: z.output<typeof requestSchema>[] = [];
  const keys = new Set<string | undefined>();
  const { url } = await serveHttp(async (incoming, response) => {
    const request = requestSchema.parse(await json(incoming));
    requests.push(request);
    keys.add(incoming.headers.authorization);
    const last = request.messages.at(-1);
    const name = last?.content?.includes('wallet') ? 'Wallet' : 'Checking';
    const call = {
      id: 'call-1',
      type: 'function',
      function: { name: 'get_account', arguments: JSON.stringify({ account_id: name }) },
    };
    const message =
      last?.role === 'tool'
        ? { role: 'assistant', content: `Result: ${/balance (\S+)/.exec(last.content ?? '')?.[1]}` }
        : { role: 'assistant', content: null, tool_calls: [call] };
    sendJson(response, { choices: [{ message, finish_reason: 'stop' }] });
  });
  return { endpoint: `${url}/v1`, requests, keys };
}

describe('a run', () => {
  it('lets a model behind the chat-completions interface work, and records its calls, which can be replayed', async () => {
    vi.stubEnv('SCRIPTED_KEY', 'secret');
    const runs = await temporaryDirectory();
    const { endpoint, requests, keys } = await scriptedEndpoint();
    const args = ['--endpoint', endpoint, '--model', 'scripted', '--tasks', 'figure-*'];

    await run([...args, '--api-key-env', 'SCRIPTED_KEY'], { runs, source });
    vi.unstubAllEnvs();

    expect(requests).toHaveLength(4);
    expect(keys).toEqual(new Set(['Bearer secret']));
    expect(requests[0]?.messages[0]?.content).toContain('Today is Wednesday, 2026-11-18.');
    expect(requests[0]?.tools.map((tool) => tool.function.name)).toContain('get_account');
    const [recorded] = readRuns(runs);
    expect(recorded).toMatchObject({
      model: 'scripted',
      arm: 'all',
      number: 1,
      conversations: [
        {
          task: 'figure-01-wallet',
          turns: [{ calls: [{ tool: 'get_account', arguments: { account_id: 'Wallet' } }] }, {}],
          requests: 3,
          verdict: { faults: [expect.stringMatching(/^Turn 2: ".*" instead of \["never"\]\.$/)] },
        },
      ],
    });
    const [conversation = expect.unreachable()] = recorded?.conversations ?? [];
    const again = await replay(conversation, task, 'all');
    expect(again).toEqual({ ...conversation, arm: 'all' });
    expect(deviations(conversation, again)).toEqual([]);
    const shorter = conversation.turns.map(({ calls, answer }) => ({
      calls: calls.map((call) => ({ ...call, tokens: Math.floor(call.tokens / 2) })),
      answer,
    }));
    expect(deviations({ ...conversation, requests: 2 }, again)).toEqual(['requests: 3 instead of 2']);
    expect(
      deviations({ ...conversation, verdict: { faults: [], isConfidentlyWrong: false } }, again),
    ).toHaveLength(1);
    expect(deviations({ ...conversation, turns: shorter }, again)).toHaveLength(1);
  });

  it('an endpoint that refuses ends the run with what it says', async () => {
    const { url } = await serveHttp((_, response) => sendJson(response, { error: 'no such model' }, 404));
    const runs = await temporaryDirectory();
    await expect(
      run(['--endpoint', url, '--model', 'scripted', '--tasks', 'figure-01'], { runs, source }),
    ).rejects.toThrow('404: {"error":"no such model"}');
  });
});
