import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

/** What the manifests take from docker-compose.yml. */
export interface Composed {
  /** Names of the settings that every container gets. */
  readonly settings: readonly string[];
  readonly containers: Readonly<Record<string, ComposedContainer>>;
}

/** A container of docker-compose.yml. */
export interface ComposedContainer {
  /** The secrets that it reads. */
  readonly secrets: readonly ComposedSecret[];
  /** Its folders that outlive it. */
  readonly folders: readonly ComposedFolder[];
  /** Settings of this container only. */
  readonly environment: Readonly<Record<string, string>>;
  readonly command: readonly string[] | undefined;
}

/** A volume of secrets, such as `database-auth`, and the folder of /run/secrets where a container has it. */
interface ComposedSecret {
  readonly name: string;
  readonly group: string;
}

/** A volume that is no secret, and where a container has it. */
interface ComposedFolder {
  readonly name: string;
  readonly path: string;
}

const secretsFolder = '/run/secrets/';
const file = join(import.meta.dirname, '../../docker-compose.yml');

const Container = z.object({
  volumes: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.string()).default({}),
  command: z.array(z.string()).optional(),
});
const Compose = z.object({
  'x-settings': z.record(z.string(), z.string()),
  services: z.record(z.string(), Container),
});

/** Reads docker-compose.yml, the one description of which container gets which secrets. */
export function readComposed(): Composed {
  const composed = Compose.parse(parse(readFileSync(file, 'utf8'), { merge: true }));
  const settings = Object.keys(composed['x-settings']);
  const containers = Object.entries(composed.services).map(([name, container]) => {
    const own = Object.entries(container.environment).filter(([key]) => !settings.includes(key));
    const { volumes, command } = container;
    const [secrets, folders] = [secretsOf(volumes), foldersOf(volumes)];
    return [name, { secrets, folders, environment: Object.fromEntries(own), command }] as const;
  });
  return { settings, containers: Object.fromEntries(containers) };
}

function secretsOf(volumes: readonly string[]): ComposedSecret[] {
  return volumes.flatMap((volume) => {
    const [source = '', path = ''] = volume.split(':');
    if (!path.startsWith(secretsFolder)) return [];
    return [{ name: source.replace(/-secret$/, ''), group: path.slice(secretsFolder.length) }];
  });
}

function foldersOf(volumes: readonly string[]): ComposedFolder[] {
  return volumes.flatMap((volume) => {
    const [name = '', path = ''] = volume.split(':');
    return path.startsWith('/var/lib/pulsebus/') ? [{ name, path }] : [];
  });
}
