import { MemoryStore, SharedMemory } from '../../src/state/memory-store.ts';
import { describeSharedStore, describeSharingProcesses } from './shared-store-contract.helper.ts';

describeSharedStore('in memory', async (clock) => new MemoryStore(clock));

describeSharingProcesses('in memory', async (clock, count) => {
  const memory = new SharedMemory();
  return Array.from({ length: count }, () => new MemoryStore(clock, memory));
});
