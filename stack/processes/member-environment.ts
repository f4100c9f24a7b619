import { randomBytes } from 'node:crypto';
import type { Config } from '../../config.ts';
import { natsUrlAs } from '../../runtime/nats-options.ts';
import { webhookSecretNames } from '../../runtime/provider-settings.ts';
import { environmentOf, type ProviderSettings } from '../sandbox/sandbox.ts';
import type { Environment } from './member.ts';
import type { Prepared } from './prepare.ts';
import { serviceNames } from './services.ts';

/** The environment of a process of services beside this one: this process's own, completed by what it prepared. */
export function memberEnvironment({ config, stack }: Prepared, settings: ProviderSettings): Environment {
  return {
    ...process.env,
    DATABASE_URL: stack.databaseUrl,
    NATS_URL: stack.natsUrl ?? '',
    JWT_SECRET: config.JWT_SECRET?.join(','),
    ENCRYPTION_KEY: config.ENCRYPTION_KEY?.join(','),
    ...webhookSecretsOf(config),
    LOG_LEVEL: config.LOG_LEVEL,
    ...environmentOf(settings),
  };
}

function webhookSecretsOf(config: Config): Environment {
  return Object.fromEntries(webhookSecretNames.map((name) => [name, config[name]?.join(',')]));
}

/** The passwords of a bus that is started here: a user for each service. */
export function busPasswords(): ReadonlyMap<string, string> {
  return new Map(serviceNames.map((service) => [service, randomBytes(24).toString('hex')]));
}

/** The credentials of a process of one service: its own user of the bus, if it has one. */
export function credentialsOf(
  service: string,
  { stack }: Prepared,
  passwords: ReadonlyMap<string, string>,
): Environment {
  const password = passwords.get(service);
  return password === undefined || stack.natsUrl === null
    ? {}
    : { NATS_URL: natsUrlAs(stack.natsUrl, service, password) };
}
