/**
 * The scripts that Redis runs, each as one step that no other command can interrupt. The data of a store are
 *
 *   - `records`: a hash of sealed values. The first bytes of a value, its nonce, are different after every change. The field
 *     `time` has the highest monotonic time of its changes.
 *   - `log:<name>`: a stream for each log. The numbers of all entries of a store come from one counter in `about`.
 *   - `locks`: a hash of the process that has each lock.
 *   - `processes`: a hash of the last write and its result for each process that has the store open.
 *
 * All keys of a store have its hash tag, and a script uses the keys of one store only, so that a cluster can spread the stores.
 *
 * A server has a lease for as long as it renews it. When the lease has expired, its processes have ended for ever: the key of
 * the lease is never set again. Another process that notices it removes the ended one from `processes` before it takes over
 * anything of it, and a process that is not there cannot write any more. So one that was suspended cannot write after others
 * have taken over its locks.
 *
 * A script that writes is sent again if its answer was lost. The writes of a process to a store have ascending numbers and
 * are sent one after the other, so that the number of the last one is enough to recognise what was done already, and what
 * comes late from a connection that was given up.
 */
import { createHash } from 'node:crypto';

/** What all keys begin with. The number is the format. */
const FORMAT = 'budget-mcp:2:';
const SERVERS = `${FORMAT}{servers}:`;

/** A hash with the monotonic time of all servers. */
export const serversKey = `${SERVERS}about`;

/** An id of a process begins with the id of its server. */
export const leaseKeyOf = (id: string) => `${SERVERS}lease:${id.split('.')[0]}`;

/** What processes publish of stores that others have open too: the key of the records, the id of the process, and what it has done. */
export const CHANNEL = `${FORMAT}news`;
const CHANGED = 'changed';
export const RELEASED = 'released';

export function keysOfStore(name: string) {
  const keyOf = (part: string) => `${FORMAT}store:{${name}}:${part}`;
  return {
    about: keyOf('about'),
    records: keyOf('records'),
    locks: keyOf('locks'),
    processes: keyOf('processes'),
    logs: keyOf('logs'),
    logOf: (log: string) => keyOf(`log:${log}`),
  };
}

export type StoreKeys = ReturnType<typeof keysOfStore>;

/**
 * Scripts with the flag `no-writes` or `allow-oom` may run when the memory of Redis is full. Those without flags are then refused as
 * a whole (redis.io/docs/latest/develop/programmability/lua-api, Script flags).
 */
const scriptOf = (text: string) => ({ text, sha: createHash('sha1').update(text).digest('hex') });

export type Script = ReturnType<typeof scriptOf>;

/**
 * ARGV[1] is the monotonic time of the caller, and the field `time` of KEYS[1] the highest one that is known there. The answer
 * begins with what has happened, the wall clock of Redis and the higher one of both. What a process does is published if another
 * one has the store open: a server that hears its own messages would pay as much for one as for an answer.
 */
const clock = `local clock = redis.call('TIME')
local wall = clock[1] * 1000 + math.floor(clock[2] / 1000)
local monotonic = tonumber(ARGV[1])
local function see(time) monotonic = math.max(monotonic, tonumber(time or 0)) end
local function keepTime() redis.call('HSET', KEYS[1], 'time', string.format('%.0f', monotonic)) end
local function answer(status, result) return {status, wall, monotonic, result} end
local function isAlone(process) return redis.call('HLEN', KEYS[2]) == redis.call('HEXISTS', KEYS[2], process) end
local function publish(process, text)
  if not isAlone(process) then redis.call('PUBLISH', '${CHANNEL}', KEYS[1] .. ' ' .. process .. ' ' .. text) end
end`;

const time = `${clock}
see(redis.call('HGET', KEYS[1], 'time'))`;

/**
 * KEYS[1] has the records and KEYS[2] the processes, as in all scripts of a store. ARGV[2] is this process, ARGV[3] the number
 * of its write, and ARGV[4] the number of the last one that was answered. If Redis does not know that one, it has lost what was written last.
 */
const write = `${time}
local known = redis.call('HGET', KEYS[2], ARGV[2])
if not known then return answer('removed') end
local last, result = string.match(known, '^(%d+) (.*)$')
if tonumber(ARGV[3]) < tonumber(last) then return answer('late') end
if tonumber(ARGV[4]) > tonumber(last) then return answer('ended') end
if ARGV[3] == last then
  -- A change, so that WAIT on another connection waits for the earlier one.
  keepTime()
  return answer('done', result)
end
local function done(result)
  keepTime()
  redis.call('HSET', KEYS[2], ARGV[2], ARGV[3] .. ' ' .. result)
  return answer('done', result)
end`;

/** KEYS[1] is `serversKey`, KEYS[2] the lease, ARGV[2] its length in milliseconds. */
export const beginLease = scriptOf(`#!lua flags=allow-oom
${time}
keepTime()
redis.call('SET', KEYS[2], '', 'PX', ARGV[2], 'NX')
return answer('done')`);

export const renewLease = scriptOf(`#!lua flags=allow-oom
${time}
keepTime()
if redis.call('PEXPIRE', KEYS[2], ARGV[2]) == 0 then return answer('ended') end
return answer('done')`);

export const endLease = scriptOf(`#!lua flags=allow-oom
${time}
keepTime()
redis.call('DEL', KEYS[2])
return answer('done')`);

/** Adds the process ARGV[2] to a store, also if Redis is full, and answers with all of them. */
export const openStore = scriptOf(`#!lua flags=allow-oom
${time}
redis.call('HSETNX', KEYS[2], ARGV[2], '0 ')
keepTime()
return answer('done', redis.call('HKEYS', KEYS[2]))`);

/**
 * Adds the process ARGV[2] again if the list of processes was lost, such as by an eviction. ARGV[3] is its last write that was
 * answered and ARGV[4] the time of that, KEYS[3] has the locks, and ARGV[5] and following are the name and the possession of each
 * that it has. If others have taken one of them over, or the store has lost changes, the process has ended.
 */
export const joinAgain = scriptOf(`#!lua flags=allow-oom
${clock}
local kept = redis.call('HGET', KEYS[1], 'time')
if not kept then return answer('removed') end
see(kept)
if tonumber(kept) < tonumber(ARGV[4]) then return answer('ended') end
for i = 5, #ARGV, 2 do
  if redis.call('HGET', KEYS[3], ARGV[i]) ~= ARGV[2] .. ' ' .. ARGV[i + 1] then return answer('ended') end
end
redis.call('HSETNX', KEYS[2], ARGV[2], ARGV[3] .. ' ')
return answer('done')`);

/** Removes the processes ARGV[2] and following, which write nothing any more. Their locks are free then. */
export const removeProcesses = scriptOf(`#!lua flags=allow-oom
${time}
for i = 2, #ARGV do
  if redis.call('HDEL', KEYS[2], ARGV[i]) == 1 then publish(ARGV[i], '${RELEASED}') end
end
return answer('done')`);

/** Removes all keys of a store. Its processes have ended then. KEYS[3] has the logs, all others are removed as well. */
export const removeStore = scriptOf(`#!lua flags=allow-oom
${time}
publish('', '${CHANGED}')
for _, log in ipairs(redis.call('SMEMBERS', KEYS[3])) do redis.call('UNLINK', log) end
for _, key in ipairs(KEYS) do redis.call('UNLINK', key) end
return answer('done')`);

/** ARGV[2] is the process to look for. */
export const findProcess = scriptOf(`#!lua flags=no-writes
${time}
return answer('done', redis.call('HEXISTS', KEYS[2], ARGV[2]))`);

/**
 * KEYS[3] and the following are logs. ARGV[2] is the number of records. Then come their names, the nonces of their values that
 * the caller knows, how many entries of each log are read, and the number before the first entry of each. The last is this process.
 * For each record, the answer has the value, or 1 if the caller knows it. It ends with the number of processes, and 1 if this one is among them.
 */
export const lookAt = scriptOf(`#!lua flags=no-writes
${clock}
local count = tonumber(ARGV[2])
local values = redis.call('HMGET', KEYS[1], 'time', unpack(ARGV, 3, 2 + count))
see(table.remove(values, 1))
for i, value in ipairs(values) do
  local nonce = ARGV[2 + count + i]
  if value and nonce ~= '' and string.sub(value, 1, #nonce) == nonce then values[i] = 1 end
end
local logs = {}
for i = 3, #KEYS do
  local after, limit = '(' .. ARGV[2 * count + 1 + i] .. '-0', ARGV[2 * count + 3]
  logs[i - 2] = redis.call('XRANGE', KEYS[i], after, '+', 'COUNT', limit)
  for _, entry in ipairs(logs[i - 2]) do
    entry[1], entry[2] = tonumber(string.match(entry[1], '^%d+')), entry[2][2]
  end
end
local processes, isListed = redis.call('HKEYS', KEYS[2]), 0
for _, process in ipairs(processes) do if process == ARGV[#ARGV] then isListed = 1 end end
return answer('done', {values, logs, #processes, isListed})`);

/**
 * KEYS[3] is `about`, KEYS[4] has the logs. Adds `value` to the log `key`. Its number is not below the time, so that the number of
 * an entry that a failover has lost is not used again: others may have read that entry.
 */
const append = `local function append(key, value, keptMs)
  local last = tonumber(redis.call('HGET', KEYS[3], 'number') or 0)
  local number = string.format('%.0f', math.max(last + 1, wall))
  redis.call('HSET', KEYS[3], 'number', number)
  redis.call('SADD', KEYS[4], key)
  redis.call('XADD', key, number .. '-0', 'v', value)
  if keptMs and keptMs ~= '' then redis.call('PEXPIRE', key, keptMs) end
  return number
end`;

/** The time of a change may be wrong by so many milliseconds. */
export const MAX_TIME_ERROR_MS = 1_000;

/**
 * ARGV[5] is the name, ARGV[6] the nonce of the value to replace, ARGV[7] the new value. KEYS[5] and the following are logs, and
 * ARGV[8] and the following what is added to each, with the milliseconds for which the log is kept, or nothing. The answer is `changed`, with the current value, if that is another one, or if
 * the time of the caller is far behind, because its machine was paused: its change could have a time before those of others.
 */
const replace = `local value = redis.call('HGET', KEYS[1], ARGV[5])
local isBehind = monotonic > tonumber(ARGV[1]) + ${MAX_TIME_ERROR_MS}
local isKnown = string.sub(value or '', 1, math.max(#ARGV[6], 1)) == ARGV[6]
if isBehind or not isKnown then return answer('changed', value) end
if ARGV[7] == '' then redis.call('HDEL', KEYS[1], ARGV[5]) else redis.call('HSET', KEYS[1], ARGV[5], ARGV[7]) end
for i = 5, #KEYS do append(KEYS[i], ARGV[2 * i - 2], ARGV[2 * i - 1]) end
publish(ARGV[2], '${CHANGED}')
return done('')`;

export const replaceRecord = scriptOf(`#!lua
${write}
${append}
${replace}`);
export const removeRecord = scriptOf(`#!lua flags=allow-oom
${write}
${append}
${replace}`);

/** KEYS[5] is the log. ARGV[5] is the value. */
export const appendEntry = scriptOf(`#!lua
${write}
${append}
local number = append(KEYS[5], ARGV[5])
publish(ARGV[2], '${CHANGED}')
return done(number)`);

/** KEYS[3] has the logs, KEYS[4] is the log. ARGV[5] is the number of the first entry that stays, or nothing. */
export const trimLog = scriptOf(`#!lua flags=allow-oom
${write}
if ARGV[5] == '' then redis.call('UNLINK', KEYS[4])
else redis.call('XTRIM', KEYS[4], 'MINID', ARGV[5] .. '-0') end
if redis.call('XLEN', KEYS[4]) == 0 then
  redis.call('UNLINK', KEYS[4])
  redis.call('SREM', KEYS[3], KEYS[4])
end
publish(ARGV[2], '${CHANGED}')
return done('')`);

/** The entries after the number ARGV[2]: some of them, so that few bytes are in memory at once. KEYS[3] is the log. */
export const readEntries = scriptOf(`#!lua flags=no-writes
${time}
local found, bytes, after = {}, 0, ARGV[2] .. '-0'
while #found < 200 and bytes < 1000000 do
  local entry = redis.call('XRANGE', KEYS[3], '(' .. after, '+', 'COUNT', 1)[1]
  if not entry then break end
  after = entry[1]
  bytes = bytes + #entry[2][2]
  found[#found + 1] = {tonumber(string.match(after, '^%d+')), entry[2][2]}
end
return answer('done', found)`);

/**
 * KEYS[3] has the locks. ARGV[5] is the name, ARGV[6] tells this possession from others. A lock of a process that was removed
 * is free. If it is taken, the answer has the process.
 */
export const takeLock = scriptOf(`#!lua flags=allow-oom
${write}
local holder = string.match(redis.call('HGET', KEYS[3], ARGV[5]) or '', '^%S+')
if holder and redis.call('HEXISTS', KEYS[2], holder) == 1 then return answer('taken', holder) end
redis.call('HSET', KEYS[3], ARGV[5], ARGV[2] .. ' ' .. ARGV[6])
return done('')`);

/** Does nothing if the lock is not in this possession. */
export const releaseLock = scriptOf(`#!lua flags=allow-oom
${write}
if redis.call('HGET', KEYS[3], ARGV[5]) == ARGV[2] .. ' ' .. ARGV[6] then
  redis.call('HDEL', KEYS[3], ARGV[5])
  publish(ARGV[2], '${RELEASED}')
end
return done('')`);
