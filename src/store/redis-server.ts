/** Whether a Redis is new enough, and which of its settings a person should change. */

/** The first version with scripts that have flags. */
const OLDEST = 7;

export interface RedisServer {
  readonly isTooOld: boolean;
  /** Sentences for a person. */
  readonly warnings: readonly string[];
}

/** `info` is the answer to INFO, `fsync` the setting `appendfsync`. Both are empty if this user may not ask for them. */
export function redisServerOf(info: string, fsync: string): RedisServer {
  const settingOf = (name: string) => new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1];
  const version = settingOf('redis_version');
  const policy = settingOf('maxmemory_policy') ?? 'noeviction';
  const isWritten = settingOf('aof_enabled') !== '0';
  return {
    isTooOld: version !== undefined && Number.parseInt(version, 10) < OLDEST,
    warnings: [
      ...(policy === 'noeviction'
        ? []
        : [
            `Redis removes data when its memory is full. Sign-ins and counts of requests would be lost: set maxmemory-policy to noeviction instead of ${policy}.`,
          ]),
      ...(isWritten
        ? []
        : [
            'Redis does not write each change to a disk. Sign-ins would be lost with a restart: set appendonly to yes and appendfsync to always.',
          ]),
      ...(isWritten && fsync !== '' && fsync !== 'always'
        ? ['Redis may lose the changes of the last second when its machine fails: set appendfsync to always.']
        : []),
    ],
  };
}
