/**
 * The scripts that Redis runs, each as one step that no other command can interrupt. The store's data are
 *
 *   - `records`: a hash of sealed values. The first bytes of a value, its nonce, are different after every change.
 *   - `log:<name>`: a stream for each log. The numbers of all entries of a store come from one counter in `about`.
 *   - `locks`: a hash of the process that has each lock.
 *   - `processes`: a hash of the lease, the last write and its result for each process that has the store open.
 *
 * A process has a lease for as long as it renews it. When the lease has expired, the process has ended for ever: the key
 * of its lease is never set again, and every script that writes asks for it first. So a process that was suspended cannot
 * write after others have taken over its locks.
 *
 * A script that writes is sent again if its answer was lost. The writes of a process to a store have ascending numbers and
 * are sent one after the other, so that the number of the last one is enough to recognise what was done already, and what
 * comes late from a connection that was given up.
 */
import { createHash } from 'node:crypto';

/** What all keys begin with. The number is the format. */
const FORMAT = 'budget-mcp:1:';

export const timeKey = `${FORMAT}time`;
export const leaseKeyOf = (id: string) => `${FORMAT}lease:${id}`;

export interface StoreKeys {
  readonly about: string;
  readonly records: string;
  readonly locks: string;
  readonly processes: string;
  readonly logs: string;
  readonly channel: string;
  logOf(name: string): string;
}

export function keysOfStore(name: string): StoreKeys {
  const keyOf = (part: string) => `${FORMAT}store:${name}:${part}`;
  return {
    about: keyOf('about'),
    records: keyOf('records'),
    locks: keyOf('locks'),
    processes: keyOf('processes'),
    logs: keyOf('logs'),
    channel: keyOf('channel'),
    logOf: (log) => keyOf(`log:${log}`),
  };
}

/** What is published on the channel of a store, after the id of the process that has done it. */
export const CHANGED = ' changed';
export const RELEASED = ' released';

export interface Script {
  readonly text: string;
  readonly sha: string;
}

/**
 * A script with these flags: `no-writes`, or `allow-oom` for what Redis may do when its memory is full. Others are then
 * refused as a whole (redis.io/docs/latest/develop/programmability/lua-api, Script flags).
 */
function scriptOf(flags: string, ...parts: readonly string[]): Script {
  const text = [flags === '' ? '#!lua' : `#!lua flags=${flags}`, ...parts].join('\n');
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}

/**
 * KEYS[1] is the lease, KEYS[2] the time, ARGV[1] the monotonic time of the caller. The answer begins with what has
 * happened, the wall clock of Redis and the highest monotonic time that Redis knows.
 */
const time = `
local clock = redis.call('TIME')
local wall = clock[1] * 1000 + math.floor(clock[2] / 1000)
local monotonic = math.max(tonumber(redis.call('GET', KEYS[2]) or 0), tonumber(ARGV[1]))
local function answer(status, result) return {status, wall, monotonic, result} end
local function keepTime() redis.call('SET', KEYS[2], string.format('%.0f', monotonic)) end
`;

/**
 * KEYS[3] has the processes. ARGV[2] is this process, ARGV[3] the number of its write, and ARGV[4] the
 * number of the last one that was answered. If Redis does not know that one, it has lost what was written last.
 */
const write = `
${time}
if redis.call('EXISTS', KEYS[1]) == 0 then return answer('ended') end
local known = redis.call('HGET', KEYS[3], ARGV[2])
if not known then return answer('removed') end
local lease, last, result = string.match(known, '^(%S+) (%d+) (.*)$')
if tonumber(ARGV[3]) < tonumber(last) then return answer('late') end
if tonumber(ARGV[4]) > tonumber(last) then return answer('ended') end
if ARGV[3] == last then return answer('done', result) end
local function publish(text) redis.call('PUBLISH', ARGV[5], ARGV[2] .. text) end
local function done(result)
  keepTime()
  redis.call('HSET', KEYS[3], ARGV[2], lease .. ' ' .. ARGV[3] .. ' ' .. result)
  return answer('done', result)
end
`;

/** ARGV[2] is the length of the lease in milliseconds. */
export const beginLease = scriptOf(
  'allow-oom',
  time,
  `keepTime()
redis.call('SET', KEYS[1], '', 'PX', ARGV[2], 'NX')
return answer('done')`,
);

export const renewLease = scriptOf(
  'allow-oom',
  time,
  `keepTime()
if redis.call('PEXPIRE', KEYS[1], ARGV[2]) == 0 then return answer('ended') end
return answer('done')`,
);

export const endLease = scriptOf(
  'allow-oom',
  time,
  `keepTime()
redis.call('DEL', KEYS[1])
return answer('done')`,
);

/** Adds a process to a store. KEYS[3] has the processes. A server that is started while Redis is full can read. */
export const openStore = scriptOf(
  'allow-oom',
  time,
  `if redis.call('EXISTS', KEYS[1]) == 0 then return answer('ended') end
local processes = redis.call('HGETALL', KEYS[3])
for i = 1, #processes, 2 do
  if redis.call('EXISTS', string.match(processes[i + 1], '^%S+')) == 0 then
    redis.call('HDEL', KEYS[3], processes[i])
  end
end
redis.call('HSETNX', KEYS[3], ARGV[2], KEYS[1] .. ' 0 ')
keepTime()
return answer('done')`,
);

/** KEYS[3] has the processes, KEYS[4] the locks. */
export const closeStore = scriptOf(
  'allow-oom',
  time,
  `redis.call('HDEL', KEYS[3], ARGV[2])
local locks = redis.call('HGETALL', KEYS[4])
for i = 1, #locks, 2 do
  if string.match(locks[i + 1], '^%S+') == ARGV[2] then redis.call('HDEL', KEYS[4], locks[i]) end
end
redis.call('PUBLISH', ARGV[3], ARGV[2] .. '${RELEASED}')
return answer('done')`,
);

/** Removes all keys of a store. Its processes have ended then. KEYS[3] has the logs, all others are removed as well. */
export const removeStore = scriptOf(
  'allow-oom',
  time,
  `for _, log in ipairs(redis.call('SMEMBERS', KEYS[3])) do redis.call('UNLINK', log) end
for i = 3, #KEYS do redis.call('UNLINK', KEYS[i]) end
redis.call('PUBLISH', ARGV[3], ARGV[2] .. '${CHANGED}')
return answer('done')`,
);

/** KEYS[3] has the processes. ARGV[2] is the process to look for. */
export const findProcess = scriptOf(
  'no-writes',
  time,
  `local known = redis.call('HGET', KEYS[3], ARGV[2])
local isRunning = known and redis.call('EXISTS', string.match(known, '^%S+')) == 1
return answer('done', isRunning and 1 or 0)`,
);

/** KEYS[3] has the records. ARGV[2] is the name, ARGV[3] the nonce of the value that the caller knows. */
export const readRecord = scriptOf(
  'no-writes',
  time,
  `local value = redis.call('HGET', KEYS[3], ARGV[2])
if not value then return answer('missing') end
if string.sub(value, 1, #ARGV[3]) == ARGV[3] and ARGV[3] ~= '' then return answer('known') end
return answer('found', value)`,
);

/**
 * KEYS[3] has the records, the other keys are logs. ARGV[2] is the number of records. Then come their names, the nonces of
 * their values that the caller knows, how many entries of each log are read, and the number before the first entry of each.
 */
export const lookAt = scriptOf(
  'no-writes',
  time,
  `local count = tonumber(ARGV[2])
local values = count > 0 and redis.call('HMGET', KEYS[3], unpack(ARGV, 3, 2 + count)) or {}
for i, value in ipairs(values) do
  local nonce = ARGV[2 + count + i]
  if value and nonce ~= '' and string.sub(value, 1, #nonce) == nonce then values[i] = true end
end
local limit, logs = ARGV[3 + 2 * count], {}
for i = 4, #KEYS do
  logs[i - 3] = redis.call('XRANGE', KEYS[i], '(' .. ARGV[2 * count + i] .. '-0', '+', 'COUNT', limit)
  for _, entry in ipairs(logs[i - 3]) do
    entry[1], entry[2] = tonumber(string.match(entry[1], '^%d+')), entry[2][2]
  end
end
return answer('done', {values, logs})`,
);

/** KEYS[4] has the records. ARGV[6] is the name, ARGV[7] the nonce of the value to replace, ARGV[8] the new value. */
const replace = `
local value = redis.call('HGET', KEYS[4], ARGV[6])
if string.sub(value or '', 1, math.max(#ARGV[7], 1)) ~= ARGV[7] then
  if value then return answer('found', value) else return answer('missing') end
end
if ARGV[8] == '' then redis.call('HDEL', KEYS[4], ARGV[6]) else redis.call('HSET', KEYS[4], ARGV[6], ARGV[8]) end
publish('${CHANGED}')
return done('')`;

export const replaceRecord = scriptOf('', write, replace);
export const removeRecord = scriptOf('allow-oom', write, replace);

/** KEYS[4] is `about`, KEYS[5] has the logs, KEYS[6] is the log. ARGV[6] is the value. */
export const appendEntry = scriptOf(
  '',
  write,
  `local number = redis.call('HINCRBY', KEYS[4], 'number', 1)
redis.call('SADD', KEYS[5], KEYS[6])
redis.call('XADD', KEYS[6], number .. '-0', 'v', ARGV[6])
publish('${CHANGED}')
return done(number)`,
);

/** KEYS[4] has the logs, KEYS[5] is the log. ARGV[6] is the number of the first entry that stays, or nothing. */
export const trimLog = scriptOf(
  'allow-oom',
  write,
  `if ARGV[6] == '' then redis.call('UNLINK', KEYS[5])
else redis.call('XTRIM', KEYS[5], 'MINID', ARGV[6] .. '-0') end
if redis.call('XLEN', KEYS[5]) == 0 then
  redis.call('UNLINK', KEYS[5])
  redis.call('SREM', KEYS[4], KEYS[5])
end
publish('${CHANGED}')
return done('')`,
);

/** The entries after the number ARGV[2]: some of them, so that few bytes are in memory at once. KEYS[3] is the log. */
export const readEntries = scriptOf(
  'no-writes',
  time,
  `local found, bytes, after = {}, 0, ARGV[2] .. '-0'
while #found < 200 and bytes < 1000000 do
  local entry = redis.call('XRANGE', KEYS[3], '(' .. after, '+', 'COUNT', 1)[1]
  if not entry then break end
  after = entry[1]
  bytes = bytes + #entry[2][2]
  found[#found + 1] = {tonumber(string.match(after, '^%d+')), entry[2][2]}
end
return answer('done', found)`,
);

/**
 * KEYS[4] has the locks. ARGV[6] is the name, ARGV[7] tells this possession from others. A lock of a process that has ended
 * is free.
 */
export const takeLock = scriptOf(
  'allow-oom',
  write,
  `local holder = redis.call('HGET', KEYS[4], ARGV[6])
if holder then
  local other = redis.call('HGET', KEYS[3], string.match(holder, '^%S+'))
  if other and redis.call('EXISTS', string.match(other, '^%S+')) == 1 then return answer('taken') end
end
redis.call('HSET', KEYS[4], ARGV[6], ARGV[2] .. ' ' .. ARGV[7])
return done('')`,
);

/** Does nothing if the lock is not in this possession. */
export const releaseLock = scriptOf(
  'allow-oom',
  write,
  `if redis.call('HGET', KEYS[4], ARGV[6]) == ARGV[2] .. ' ' .. ARGV[7] then
  redis.call('HDEL', KEYS[4], ARGV[6])
  publish('${RELEASED}')
end
return done('')`,
);
