// PostgreSQL 17, TimescaleDB and NATS from Debian 13, unpacked into a separate folder and started through the C library
// of the same packages: nothing is installed into the system, and root is not needed. The unpacked folder has 114 MB.
// Unpacking takes about 8 s once.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { withLock } from '../machine/lock.ts';
import { run } from '../machine/processes.ts';
import { ownFolder } from '../machine/unprivileged.ts';
import { openApt } from './private-apt.ts';
import { wrapPrograms } from './wrappers.ts';

const RELEASE = 'trixie';

/** Only what the three servers load. No LLVM, perl or debconf. */
const PACKAGES = `libc6 libgcc-s1 libstdc++6 postgresql-17 postgresql-client-17 postgresql-17-timescaledb
  libgssapi-krb5-2 libkrb5-3 libk5crypto3 libkrb5support0 libcom-err2 libkeyutils1 libicu76 libldap2 libsasl2-2
  liblz4-1 libpam0g libaudit1 libcap-ng0 libpq5 libselinux1 libpcre2-8-0 libssl3t64 libsystemd0 libcap2 libuuid1
  libxml2 liblzma5 libxslt1.1 libgcrypt20 libgpg-error0 libzstd1 zlib1g libreadline8t64 libtinfo6 libxxhash0
  nats-server`.split(/\s+/);

/** Where Debian keeps the libraries of an architecture, and the name of its loader. */
const LOADERS: Record<string, { triplet: string; loader: string }> = {
  amd64: { triplet: 'x86_64-linux-gnu', loader: 'ld-linux-x86-64.so.2' },
  arm64: { triplet: 'aarch64-linux-gnu', loader: 'ld-linux-aarch64.so.1' },
};

/** Programs that are ready to start. */
export interface Programs {
  /** The folder with postgres and initdb. */
  postgresBin: string;
  natsServer: string | null;
  timescale: boolean;
  /** Whether this PostgreSQL was built with lz4. */
  lz4: boolean;
}

/** Where the programs are unpacked to, and where they come from. */
export interface UnpackOptions {
  stackDir: string;
  debianMirror?: string;
  log(line: string): void;
}

/** The unpacked programs, downloaded first when they are not there. @throws Error saying why they cannot be had. */
export async function debianPrograms(options: UnpackOptions): Promise<Programs> {
  if (process.platform !== 'linux') throw new Error('this is not Linux');
  const arch = (await run('dpkg', ['--print-architecture'])).trim();
  const abi = LOADERS[arch];
  if (abi === undefined) throw new Error(`${arch} is not among ${Object.keys(LOADERS).join(', ')}`);
  ownFolder(options.stackDir);
  const key = createHash('sha256').update(PACKAGES.join()).digest('hex').slice(0, 8);
  const folder = join(options.stackDir, `${RELEASE}-${arch}-${key}`);
  if (!isComplete(folder))
    await withLock(`${folder}.lock`, async () => {
      if (!isComplete(folder)) await unpack(folder, arch, abi, options);
    });
  return programsIn(folder);
}

function programsIn(folder: string): Programs {
  const postgresBin = join(folder, 'usr/lib/postgresql/17/bin');
  return { postgresBin, natsServer: join(folder, 'usr/sbin/nats-server'), timescale: true, lz4: true };
}

/** The stamp counts the files: cleaners of /var/tmp delete single files that were not read for a month. */
function isComplete(folder: string): boolean {
  const stamp = join(folder, 'stamp');
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === String(countFiles(folder));
}

function countFiles(folder: string): number {
  return readdirSync(folder, { recursive: true }).filter((path) => path !== 'stamp').length;
}

async function unpack(
  folder: string,
  arch: string,
  abi: { triplet: string; loader: string },
  options: UnpackOptions,
): Promise<void> {
  removeLeftovers(options.stackDir, basename(folder));
  const work = mkdtempSync(`${folder}.new-`);
  try {
    options.log(`Downloading PostgreSQL 17, TimescaleDB and NATS from Debian ${RELEASE} (45 MB, once)`);
    const root = join(work, 'root');
    mkdirSync(root);
    const apt = await openApt(work, RELEASE, arch, options.debianMirror);
    await apt('download', ...PACKAGES);
    options.log('Unpacking');
    await unpackAll(join(work, 'downloads'), root);
    wrapPrograms(root, abi);
    await run(join(root, 'usr/lib/postgresql/17/bin/postgres'), ['--version']); // fails where the folder is mounted noexec
    chmodSync(root, 0o755);
    writeFileSync(join(root, 'stamp'), String(countFiles(root)));
    rmSync(folder, { recursive: true, force: true });
    renameSync(root, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Removes leftovers of killed starts. The caller holds the lock, so no other start uses them. */
function removeLeftovers(stackDir: string, name: string): void {
  for (const found of readdirSync(stackDir))
    if (found.startsWith(`${name}.new-`)) rmSync(join(stackDir, found), { recursive: true, force: true });
}

async function unpackAll(downloads: string, root: string): Promise<void> {
  const packages = readdirSync(downloads).filter((name) => name.endsWith('.deb'));
  if (packages.length !== PACKAGES.length)
    throw new Error(`apt downloaded ${packages.length} packages of ${PACKAGES.length}`);
  for (const name of packages) await run('dpkg-deb', ['-x', join(downloads, name), root]);
}
