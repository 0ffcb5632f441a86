import { MemoryStore } from '../../src/state/memory-store.ts';
import { describeSharedStore } from './shared-store-contract.helper.ts';

describeSharedStore('in memory', async (clock) => new MemoryStore(clock));
