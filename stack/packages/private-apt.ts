// apt with its own state, cache and sources, and without the machine's hooks. It uses the machine's mirrors, proxy and
// certificate settings, and Debian's keys.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../machine/processes.ts';

const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const MAX_MIRRORS = 3;

/** Runs apt-get with the private configuration, in the folder that receives downloads. */
export type Apt = (...args: string[]) => Promise<string>;

/** An apt whose lists hold one Debian release. @throws Error saying why the packages cannot be had here. */
export async function openApt(folder: string, release: string, arch: string, mirror?: string): Promise<Apt> {
  if (!existsSync(KEYRING)) throw new Error(`Debian's keys are not on this machine (${KEYRING})`);
  const mirrors = mirror === undefined ? await machineMirrors() : [mirror];
  let failure = new Error("apt's configuration on this machine names no mirror");
  for (const site of mirrors.slice(0, MAX_MIRRORS)) {
    try {
      return await aptFor(folder, `deb [signed-by=${KEYRING} arch=${arch}] ${site} ${release} main`, arch);
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
    }
  }
  throw failure;
}

async function aptFor(folder: string, source: string, arch: string): Promise<Apt> {
  for (const name of ['lists/partial', 'cache/archives/partial', 'parts', 'downloads'])
    mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'sources.list'), `${source}\n`);
  writeFileSync(join(folder, 'status'), '');
  const config = join(folder, 'apt.conf');
  writeFileSync(config, [...settings(folder, arch), ...(await machineTransport())].join('\n'));
  const env = { ...process.env, APT_CONFIG: config, LC_ALL: 'C' };
  const apt: Apt = (...args) => run('apt-get', ['-q', ...args], { cwd: join(folder, 'downloads'), env });
  await apt('update', '-o', 'APT::Update::Error-Mode=any', '-o', 'Acquire::Retries=1');
  return apt;
}

function settings(folder: string, arch: string): string[] {
  return [
    `APT::Architecture "${arch}";`,
    `APT::Architectures { "${arch}"; };`,
    'APT::Get::AllowUnauthenticated "false";',
    'APT::Sandbox::User "";',
    'Acquire::ForceHash "SHA256";',
    'Acquire::Languages "none";',
    'Acquire::Retries "3";',
    `Dir::State "${folder}";`,
    `Dir::State::lists "${folder}/lists";`,
    `Dir::State::status "${folder}/status";`,
    `Dir::Cache "${folder}/cache";`,
    `Dir::Etc::sourcelist "${folder}/sources.list";`,
    'Dir::Etc::sourceparts "/dev/null";',
    `Dir::Etc::parts "${folder}/parts";`,
    'Dir::Etc::main "/dev/null";',
    'Dir::Etc::preferences "/dev/null";',
    `Dir::Etc::preferencesparts "${folder}/parts";`,
  ];
}

async function machineTransport(): Promise<string[]> {
  const dump = await run('apt-config', ['dump']);
  return dump.split('\n').filter((line) => /^Acquire::(http|https)::\S/.test(line));
}

/** The mirrors that the machine's own apt uses, the likeliest to hold a whole Debian first. */
async function machineMirrors(): Promise<string[]> {
  const listed = await run('apt-get', ['indextargets', '--format', '$(SITE)', 'Created-By: Packages']);
  const sites = [...listed.split('\n'), ...sourcesFiles().flatMap(sitesIn)].map((site) => site.trim());
  const candidates = [...new Set(sites)].filter((site) => site !== '' && !/security/.test(site));
  return candidates.sort((a, b) => likelihood(b) - likelihood(a));
}

function likelihood(site: string): number {
  return /\/debian\/?$/.test(site) ? 2 : /debian/.test(site) ? 1 : 0;
}

function sourcesFiles(): string[] {
  const parts = '/etc/apt/sources.list.d';
  const files = existsSync(parts) ? readdirSync(parts).map((name) => join(parts, name)) : [];
  return ['/etc/apt/sources.list', ...files].filter(
    (file) => /\.(list|sources)$/.test(file) && existsSync(file),
  );
}

/** Both formats: `deb [options] site suite component` and `URIs: site site`. */
function sitesIn(file: string): string[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.flatMap((line) => {
    const found = /^\s*deb\s+(?:\[[^\]]*\]\s*)?(\S+)/.exec(line)?.[1] ?? /^URIs:\s*(.+)/i.exec(line)?.[1];
    return found === undefined ? [] : found.split(/\s+/);
  });
}
