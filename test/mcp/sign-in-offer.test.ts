import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { StoredTokens } from '../../src/auth/stored-tokens.ts';
import { createServer, createSharedState } from '../../src/mcp/server.ts';
import { BudgetClient } from '../../src/session/budget-client.ts';
import { HttpSender } from '../../src/session/http/http-sender.ts';
import { personal } from '../app/commands/signing-in.helper.ts';
import { MemoryTokenStore } from '../auth/memory-token-store.helper.ts';
import { ManualClock, yieldTurns } from '../manual-clock.helper.ts';
import { startTestService } from '../service/running-service.helper.ts';

const PAGE = 'http://127.0.0.1:1/sign-in/page';

const resultSchema = z.object({ content: z.array(z.object({ text: z.string() })) });

/** A host of the older era, which is asked during the call, and a server without a sign-in. */
async function start(
  answer: () => 'accept' | 'decline',
  elicitation: Record<string, Record<string, never>> = { url: {} },
  open = async () => PAGE,
) {
  const service = await startTestService();
  const clock = new ManualClock(service.clock.now());
  const sender = new HttpSender({ clock });
  const store = new MemoryTokenStore();
  const tokens = new StoredTokens({
    store,
    profile: 'default',
    clock,
    refresh: () => Promise.reject(new Error('There is nothing to refresh.')),
    lock: (_, work) => work(),
  });
  let opened = 0;
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const deps = {
    client: new BudgetClient({ tokens, sender, clock }),
    clock,
    log: { error: () => {} },
    version: '0.0.0',
    confirm: 'deletes' as const,
    signInPages: {
      open() {
        opened += 1;
        return open();
      },
      ended: () => ended,
    },
  };
  const [near, far] = InMemoryTransport.createLinkedPair();
  const host = new Client({ name: 'test', version: '0.0.0' }, { capabilities: { elicitation } });
  const questions: unknown[] = [];
  host.setRequestHandler('elicitation/create', ({ params }) => {
    questions.push(params);
    return { action: answer() };
  });
  await createServer(deps, createSharedState(deps)).connect(far);
  await host.connect(near);
  onTestFinished(async () => {
    await host.close();
    await sender.close();
    await service.close();
  });
  const call = async () => {
    const result = resultSchema.parse(await host.callTool({ name: 'list_budgets', arguments: {} }));
    return result.content.map(({ text }) => text).join('\n');
  };
  const signIn = async () => {
    await store.write('default', personal(service.baseUrl, service.accessToken));
    end();
  };
  return { clock, call, signIn, questions, opened: () => opened };
}

test('a call waits ten seconds for a person who signs in, and not longer', async () => {
  const { clock, call } = await start(() => 'accept');
  let text = '';
  const ended = call().then((answered) => {
    text = answered;
  });
  await expect.poll(() => clock.nextWakeIn).toBe(10_000);
  clock.advance(9_999);
  await yieldTurns(20);
  expect(text).toBe('');
  clock.advance(1);
  await ended;
  expect(text).toMatch(/^Not signed in: .*\n.*When the user has signed in there, call again\.$/);
});

test('a call goes on as soon as the person has signed in', async () => {
  const { clock, call, signIn, questions } = await start(() => 'accept');
  const ended = call();
  await expect.poll(() => clock.nextWakeIn).toBe(10_000);
  await signIn();
  expect(await ended).toContain('Household');
  expect(questions).toEqual([
    expect.objectContaining({ mode: 'url', url: PAGE, message: expect.stringMatching(/^Sign in/) }),
  ]);
});

test('a host that answers with an error is not taken for a person who declines', async () => {
  const { call } = await start(() => {
    throw new Error('This host has no browser.');
  });
  expect(await call()).toContain('No page for signing in could be opened.');
});

test('a host that only shows forms is not asked to open a page', async () => {
  const { call, questions, opened } = await start(() => 'accept', { form: {} });
  expect(await call()).toMatch(/^Not signed in: `budget-mcp login` in a terminal /);
  expect(questions).toEqual([]);
  expect(opened()).toBe(0);
});

test('where no page can be opened, the answer still has the command', async () => {
  const { call, questions } = await start(
    () => 'accept',
    { url: {} },
    () => Promise.reject(new Error('A part of the program is missing.')),
  );
  expect(await call()).toMatch(
    /`budget-mcp login` in a terminal.*No page for signing in could be opened\.$/s,
  );
  expect(questions).toEqual([]);
});
