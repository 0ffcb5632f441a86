/** What one process learns from the service, the others use. */
import { describe, expect, it } from 'vitest';
import { fixedTokenProvider } from '../../src/auth/token-provider.ts';
import { MemoryStore, SharedMemory } from '../../src/store/memory-store.ts';
import { failureOf } from './sending.helper.ts';
import { startSharing } from './sharing-processes.helper.ts';

/** Processes with a token of which only the service knows that it may not write. */
async function startReaders() {
  const sharing = await startSharing();
  const { service, startProcess } = sharing;
  const token = service.access.issueToken(service.user, { scope: 'read-only' });
  const memory = new SharedMemory();
  const requests: string[] = [];
  const start = (from = memory) =>
    startProcess(from, {
      tokens: fixedTokenProvider({ baseUrl: service.baseUrl, token }),
      onRequest: ({ route }) => requests.push(route),
    });
  return { ...sharing, start, sent: requests };
}

describe('processes with a token that turns out to be read-only', () => {
  it('offer no writes after the service has refused a write of one of them', async () => {
    const { start, passing, sent } = await startReaders();
    const [one, other] = [start(), start()];
    await passing(other.client.status());
    const changes: string[] = [];
    other.client.onAvailabilityChanged(() => changes.push('available'));
    expect(await failureOf(one.log(-4_000))).toMatchObject({ code: 'unauthorized_scope' });
    expect(other.client.readOnly).toBe(false);
    sent.length = 0;
    await passing(other.client.status());
    expect(other.client.readOnly).toBe(true);
    expect(changes).toEqual(['available']);
    expect(await failureOf(other.log(-5_000))).toMatchObject({ code: 'unauthorized_scope' });
    expect(sent).toEqual([]);
  });

  it('refuse a write without a request also if they start later', async () => {
    const { start, passing, sent } = await startReaders();
    await failureOf(start().log(-4_000));
    sent.length = 0;
    const later = start();
    await passing(later.client.status());
    expect(later.client.readOnly).toBe(true);
    expect(await failureOf(later.log(-5_000))).toMatchObject({ code: 'unauthorized_scope' });
    expect(sent).toEqual([]);
  });

  it('do not tell it to processes with another state', async () => {
    const { start, passing } = await startReaders();
    await failureOf(start().log(-4_000));
    const other = start(new SharedMemory());
    await passing(other.client.status());
    expect(other.client.readOnly).toBe(false);
  });
});

/** The news of changes never arrives. */
class DeafStore extends MemoryStore {
  override get version(): number {
    return 0;
  }
}

it('a process reads what another one has written, although the news of it has not arrived yet', async () => {
  const { startProcess, passing, pass, clock, balanceIn } = await startSharing();
  const memory = new SharedMemory();
  const one = startProcess(memory);
  const other = startProcess(memory, {
    cacheBytes: 10_000_000,
    store: async () => new DeafStore(clock, memory),
  });
  const { balance } = await passing(balanceIn(other));
  await pass(100);
  await one.log(-4_500);
  expect((await passing(balanceIn(other))).balance).toBe(balance - 4_500);
});
