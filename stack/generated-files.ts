import { dataDocs } from '../providers/data-docs.ts';
import { openapiDocument } from '../services/api-gateway/rules/openapi.ts';
import { prometheusFile, providerSettingsFile } from './compose-files.ts';
import { manifestTexts } from './kubernetes/manifest-texts.ts';
import { serviceNames } from './processes/services.ts';
import { composedUsersFile } from './servers/nats-users.ts';
import { callsFile, callsPath } from './service-calls.ts';
import { settingsDocs } from './settings-docs.ts';

/** All files that are derived from code, contracts, tables and docker-compose.yml: their content by path from the root. */
export function generatedFiles(): ReadonlyMap<string, string> {
  return new Map([
    [callsPath, callsFile()],
    ['openapi.json', `${JSON.stringify(openapiDocument(), null, 2)}\n`],
    ['docs/data.md', dataDocs()],
    ['docs/settings.md', settingsDocs()],
    ['stack/compose/provider-settings.gen.env', providerSettingsFile()],
    ['stack/compose/prometheus.gen.yml', prometheusFile(serviceNames)],
    ['stack/compose/nats-users.gen.conf', composedUsersFile()],
    ...Object.entries(manifestTexts(serviceNames)).map(
      ([name, text]) => [`kubernetes/${name}`, text] as const,
    ),
  ]);
}
