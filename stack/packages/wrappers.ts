// The unpacked programs need a newer C library than the machine has. A wrapper script starts each through the unpacked
// loader. --argv0 is required: postgres finds share/ and lib/ relative to it, and initdb and pg_ctl start the wrapper
// beside them.
import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const BIN = 'usr/lib/postgresql/17/bin';
const ELF = 'usr/lib/postgresql/17/elf';

/** Moves PostgreSQL's programs aside and installs wrappers. nats-server is a static Go program and needs none. */
export function wrapPrograms(root: string, abi: { triplet: string; loader: string }): void {
  const bin = join(root, BIN);
  const elf = join(root, ELF);
  mkdirSync(elf, { mode: 0o755 });
  for (const name of readdirSync(bin)) {
    renameSync(join(bin, name), join(elf, name));
    writeFileSync(join(bin, name), wrapper(name, abi), { mode: 0o755 });
  }
}

function wrapper(name: string, abi: { triplet: string; loader: string }): string {
  return `#!/bin/sh
dir=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd -P)
root=\${dir%/${BIN}}
libraries=$root/usr/lib/${abi.triplet}
exec "$libraries/${abi.loader}" --argv0 "$dir/${name}" --library-path "$libraries" "$root/${ELF}/${name}" "$@"
`;
}
