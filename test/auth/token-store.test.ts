import { MemoryTokenStore } from './memory-token-store.helper.ts';
import { describeTokenStore } from './token-store-contract.helper.ts';

describeTokenStore('memory', async () => ({ store: new MemoryTokenStore() }));
