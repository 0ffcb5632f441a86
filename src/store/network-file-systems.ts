/**
 * Recognises file systems on which several machines may write, or whose locks cannot be relied on. SQLite's WAL needs
 * shared memory and locks of one machine (sqlite.org/wal.html, section 1).
 */

/** `f_type` of statfs on Linux (linux/magic.h and the sources of the file systems). */
const linuxTypes: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x65735546, 'FUSE, such as sshfs or virtiofs'],
  [0x01021997, '9p'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x01161970, 'GFS2'],
  [0x7461636f, 'OCFS2'],
  [0x786f4256, 'vboxsf'],
  [0x564c, 'NCP'],
  [0x73757245, 'Coda'],
  [0x47504653, 'GPFS'],
  [0x19830326, 'BeeGFS'],
]);

/** The number of NFS on macOS (`VT_NFS`). Other network file systems have no fixed number there. */
const MACOS_NFS = 2;

export interface Location {
  /** Without symbolic links and, on Windows, without mapped drives. */
  readonly realPath: string;
  /** `type` of `fs.statfs`. */
  readonly type: number;
  readonly platform: NodeJS.Platform;
}

/** The name of the network file system. Undefined if none is recognised. */
export function networkFileSystemOf({ realPath, type, platform }: Location): string | undefined {
  if (platform === 'win32') {
    // `\\?\C:\` is a local path, `\\server\share` and `\\?\UNC\server\share` are not.
    const path = realPath.replace(/^\\\\\?\\(UNC\\)?/i, (_, unc) => (unc ? '\\\\' : ''));
    return path.startsWith('\\\\') ? 'a network share' : undefined;
  }
  if (platform === 'darwin') return type === MACOS_NFS ? 'NFS' : undefined;
  return linuxTypes.get(type);
}
