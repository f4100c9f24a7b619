// PostgreSQL refuses to run as root, and nothing else needs root. If this process is root, the servers run as `nobody`,
// which needs access to their programs and data.
import { createHash } from 'node:crypto';
import { chmodSync, chownSync, lstatSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** The account of the servers. Null if it is the current one. */
export type Account = { uid: number; gid: number } | null;

/** `nobody` where we are root, otherwise null. */
export function serverAccount(): Account {
  if (process.getuid?.() !== 0) return null;
  const entry = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'));
  return { uid: Number(entry?.[1] ?? 65534), gid: Number(entry?.[2] ?? 65534) };
}

/** The folder of this checkout's data: the configured one, or one under /var/tmp if the servers cannot reach it. */
export function resolveDataDir(wanted: string): string {
  const path = resolve(wanted);
  if (canReach(serverAccount(), dirname(path))) return path;
  const key = createHash('sha256').update(path).digest('hex').slice(0, 12);
  return `/var/tmp/pulsebus-data-${key}`;
}

/** The folder that holds unpacked programs for every checkout of this user. */
export function defaultStackDir(): string {
  if (process.getuid?.() === 0) return '/var/tmp/pulsebus-stack';
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'pulsebus', 'stack');
}

/** Whether an account can walk to a path. Folders that do not exist yet will be made by us, and open. */
export function canReach(account: Account, path: string): boolean {
  if (account === null) return true;
  const parent = dirname(path);
  return (parent === path || canReach(account, parent)) && canEnter(account, path);
}

function canEnter(account: { uid: number; gid: number }, folder: string): boolean {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined || !found.isDirectory()) return true; // a file is named by who makes the folder below it
  if (found.uid === account.uid) return (found.mode & 0o100) !== 0;
  if (found.gid === account.gid) return (found.mode & 0o010) !== 0;
  return (found.mode & 0o001) !== 0;
}

/**
 * Creates a folder that only this account can write to and that the servers can enter, or checks an existing one.
 * @throws Error if it belongs to another account, is a link, or is writable by others: under /var/tmp anyone could have
 * put programs there.
 */
export function ownFolder(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o755 });
  const found = lstatSync(path);
  const uid = process.getuid?.() ?? found.uid;
  if (!found.isDirectory()) throw new Error(`${path} is not a folder`);
  if (found.uid !== uid && found.uid !== 0)
    throw new Error(`${path} belongs to another user (uid ${found.uid})`);
  if ((found.mode & 0o022) !== 0) throw new Error(`${path} is writable by other users: chmod go-w ${path}`);
  if (found.uid === uid && (found.mode & 0o001) === 0 && uid === 0) chmodSync(path, found.mode | 0o111);
  return path;
}

/** Makes a folder that only the servers' account can read. */
export function serverFolder(path: string, account: Account): string {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (account !== null) chownSync(path, account.uid, account.gid);
  return path;
}
