import type { ServiceBroker } from 'moleculer';
import { contracts } from '../../../contracts/all.ts';
import { ServiceError } from '../../../domain/errors.ts';
import type { Database } from '../../../mixins/database/database.ts';

/** Readiness requests are not rate-limited, so the result of the database check is reused for this time. */
const databaseFreshMs = 250;

interface DatabaseCheck {
  readonly atMs: number;
  readonly answers: Promise<boolean>;
}

const checks = new WeakMap<Database, DatabaseCheck>();

/** The availability of the services and the database. @throws SERVICE_UNAVAILABLE (503) if one is unavailable, or during a shutdown */
export async function readiness(broker: ServiceBroker, database: Database, stopping: boolean) {
  const services = Object.fromEntries(contracts.map(({ name }) => [name, hasService(broker, name)]));
  const all = { ...services, database: await databaseAnswers(database) };
  const away = Object.keys(all).filter((name) => Reflect.get(all, name) === false);
  if (stopping) throw new ServiceError('SERVICE_UNAVAILABLE', 'Stopping.');
  if (away.length > 0) throw new ServiceError('SERVICE_UNAVAILABLE', `Unavailable: ${away.join(', ')}.`);
  return { status: 'ok' as const, services: all };
}

function hasService({ registry }: ServiceBroker, name: string): boolean {
  return registry.getServiceList({ onlyAvailable: true }).some((one) => one.name === name);
}

function databaseAnswers(database: Database): Promise<boolean> {
  const known = checks.get(database);
  if (known !== undefined && performance.now() - known.atMs < databaseFreshMs) return known.answers;
  const answers = database.query('select 1').then(
    () => true,
    () => false,
  );
  checks.set(database, { atMs: performance.now(), answers });
  return answers;
}
