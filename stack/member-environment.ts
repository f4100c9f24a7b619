import type { Config } from '../config.ts';
import { webhookSecretNames } from '../runtime/provider-settings.ts';
import type { Environment } from './member.ts';
import type { Prepared } from './prepare.ts';
import { environmentOf, type ProviderSettings } from './sandbox.ts';

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
