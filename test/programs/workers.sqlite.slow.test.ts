import { describe } from 'vitest';
import { noCaddy } from '../caddy.helper.ts';
import { sqlite } from '../store/sqlite.helper.ts';
import { testsOfWorkers } from './workers.helper.ts';

describe.skipIf(!sqlite || noCaddy)('workers that share files', () => testsOfWorkers('files'));
