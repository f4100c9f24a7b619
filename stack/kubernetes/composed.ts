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
  /** The groups of secrets that it reads, each a folder of /run/secrets. */
  readonly secrets: readonly string[];
  /** Settings of this container only. */
  readonly environment: Readonly<Record<string, string>>;
  readonly command: readonly string[] | undefined;
}

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
    return [name, { secrets: groupsOf(volumes), environment: Object.fromEntries(own), command }] as const;
  });
  return { settings, containers: Object.fromEntries(containers) };
}

function groupsOf(volumes: readonly string[]): string[] {
  return volumes.flatMap((volume) => {
    const [, group] = /^[\w-]+-secret:\/run\/secrets\/([\w-]+):ro$/.exec(volume) ?? [];
    return group === undefined ? [] : [group];
  });
}
