import { MemoryTokenStore } from './memory-token-store.ts';
import { describeTokenStore } from './token-store-contract.ts';

describeTokenStore('memory', async () => ({ store: new MemoryTokenStore() }));
