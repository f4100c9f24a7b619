import { providers } from '../providers/all.ts';
import { isSecretSetting } from '../runtime/provider-settings.ts';

const head = '# Written by `npm run generate` from the registry of providers and the list of services.\n';

/**
 * The settings of providers that are no secrets, for `env_file` of docker-compose.yml. A name without a value takes that of the
 * environment of `docker compose`, or of .env; it stays unset where neither has it.
 */
export function providerSettingsFile(): string {
  const names = Object.values(providers).flatMap(({ settings }) => Object.keys(settings));
  return `${head}${names.filter((name) => !isSecretSetting(name)).join('\n')}\n`;
}

/** The configuration of Prometheus in compose: every container of every service, because a name resolves to all of them. */
export function prometheusFile(services: readonly string[]): string {
  return `${head}global: { scrape_interval: 15s }
scrape_configs:
  - job_name: pulsebus
    dns_sd_configs:
      - type: A
        port: 9100
        refresh_interval: 15s
        names:
${services.map((name) => `          - ${name}`).join('\n')}
    relabel_configs:
      - source_labels: [__meta_dns_name]
        target_label: service
`;
}
