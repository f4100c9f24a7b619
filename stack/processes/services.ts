import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceSchema } from 'moleculer';
import { StartError } from '../machine/start-error.ts';

const folder = join(import.meta.dirname, '../../services');

/** The names of all services, each a folder with a `*.service.ts` of its name. */
export const serviceNames: readonly string[] = readdirSync(folder).sort();

/** @throws StartError when a name is unknown. */
export function checkServiceNames(chosen: readonly string[]): void {
  const unknown = chosen.filter((name) => !serviceNames.includes(name));
  if (unknown.length > 0)
    throw new StartError(
      `SERVICES: there is no service ${unknown.join(', ')}. The services are ${serviceNames.join(', ')}.`,
    );
}

/** Loads services by name, all where none is named. @throws StartError when a name is unknown. */
export function loadServices(chosen: readonly string[]): Promise<ServiceSchema[]> {
  checkServiceNames(chosen);
  const names = chosen.length === 0 ? serviceNames : chosen;
  return Promise.all(names.map(loadService));
}

async function loadService(name: string): Promise<ServiceSchema> {
  const module: { default: ServiceSchema } = await import(join(folder, name, `${name}.service.ts`));
  return module.default;
}
