import { describe } from 'vitest';
import { noCaddy } from '../caddy.helper.ts';
import { noRedis } from '../store/redis.helper.ts';
import { testsOfWorkers } from './workers.helper.ts';

describe.skipIf(noRedis || noCaddy)('workers that share a Redis', () => testsOfWorkers('redis'));
