/** Another process: `PATH`. It begins to write to a database, prints "writing", and ends the write when its input ends. */
import { once } from 'node:events';
import { findSqlite } from '../../src/store/sqlite.ts';

const [path = ''] = process.argv.slice(2);
const database = findSqlite()?.(path);
database?.exec("BEGIN IMMEDIATE; INSERT INTO entries (log, value) VALUES (x'00', x'00')");
process.stdout.write('writing');
process.stdin.resume();
await once(process.stdin, 'end');
database?.exec('COMMIT');
database?.close();
