import { describe, expect, it } from 'vitest';
import { networkFileSystemOf } from '../../src/store/state-directory.ts';

const onLinux = (type: number) => networkFileSystemOf({ realPath: '/state', type, platform: 'linux' });
const onWindows = (realPath: string) => networkFileSystemOf({ realPath, type: 0, platform: 'win32' });

describe('file systems', () => {
  it.each([
    [0x6969, 'NFS'],
    [0xff534d42, 'CIFS'],
    [0xfe534d42, 'SMB'],
    [0x65735546, 'FUSE'],
    [0x01021997, '9p'],
    [0x00c36400, 'Ceph'],
    [0x0bd00bd0, 'Lustre'],
    [0x01161970, 'GFS2'],
    [0x7461636f, 'OCFS2'],
    [0x786f4256, 'vboxsf'],
  ])('the type %i of Linux is recognised as the network file system %s', (type, name) => {
    expect(onLinux(type)).toContain(name);
  });

  it.each([
    ['ext4', 0xef53],
    ['tmpfs', 0x01021994],
    ['XFS', 0x58465342],
    ['Btrfs', 0x9123683e],
    ['overlay', 0x794c7630],
    ['ZFS', 0x2fc12fc1],
  ])('%s of Linux is no network file system', (_, type) => {
    expect(onLinux(type)).toBeUndefined();
  });

  it('the type of NFS on macOS is recognised, and that of APFS is no network file system', () => {
    expect(networkFileSystemOf({ realPath: '/state', type: 2, platform: 'darwin' })).toBe('NFS');
    expect(networkFileSystemOf({ realPath: '/state', type: 26, platform: 'darwin' })).toBeUndefined();
  });

  it.each(['\\\\server\\share\\state', '\\\\?\\UNC\\server\\share\\state'])(
    'the path %s of Windows is on a network share',
    (path) => {
      expect(onWindows(path)).toBe('a network share');
    },
  );

  it.each(['C:\\Users\\me\\State', '\\\\?\\C:\\Users\\me\\State'])(
    'the path %s of Windows is on this machine',
    (path) => {
      expect(onWindows(path)).toBeUndefined();
    },
  );
});
