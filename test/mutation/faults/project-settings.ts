import type { PlantedFault } from '../planted.ts';

const brand = 'test/http/projects/connect-brand.test.ts';

const clients = 'test/http/projects/credentials.test.ts';

type Row = readonly [promise: string, file: string, before: string, after: string, test: string];

const rows: readonly Row[] = [
  [
    'A logo whose bytes are no raster image is refused.',
    'services/auth/connect-logo.ts',
    'if (form === null) throw',
    "if (form === null && !image.startsWith('PHN2Zy')) throw",
    brand,
  ],
  [
    'A link shows the logo of its own project.',
    'services/auth/queries/select-projects.ts',
    'connect_colour, connect_logo from auth.project where id = $1',
    "connect_colour, connect_logo from auth.project where $1 <> '' order by connect_logo nulls last limit 1",
    brand,
  ],
  [
    'The type of a logo is that of its bytes.',
    'services/api-gateway/connect-page/page-assets.ts',
    '{ type: imageTypes[form], content, name }',
    '{ type: imageTypes.png, content, name }',
    brand,
  ],
  [
    'A style sheet is served at the address with its hash only.',
    'services/api-gateway/connect-page/page-assets.ts',
    'return style?.name === name ? style : null;',
    'return style;',
    brand,
  ],
  [
    'The project of a path decides, and not that of a header.',
    'services/api-gateway/pipeline/admission.ts',
    'const given = inPath ?? project ??',
    'const given = project ??',
    clients,
  ],
  [
    'A new connection is made with the client of the project of its user.',
    'services/users/queries/provider-clients.ts',
    'on k.project_id = p.project_id and k.client_secret is not null',
    'on k.client_secret is not null',
    clients,
  ],
  [
    'A connection keeps the client that its tokens were issued to.',
    'services/users/queries/upsert-connection.ts',
    'provider_client_id = excluded.provider_client_id, updated_at',
    'provider_client_id = held.provider_client_id, updated_at',
    clients,
  ],
  [
    'A refresh token goes to the client that it was issued to.',
    'mixins/provider-api/exchange-refresh.ts',
    'if (client === null) return installationClient(environment.config, provider);',
    'if (client === null || provider.length > 0) return installationClient(environment.config, provider);',
    clients,
  ],
  [
    'Tokens of a removed client go to no other one.',
    'mixins/provider-api/provider-tokens.ts',
    'if (held.refresh_token !== null && held.client?.client_secret === null)',
    "if (held.refresh_token === '' && held.client?.client_secret === null)",
    clients,
  ],
  [
    'A connection of a replaced client says that its user has to connect again.',
    'services/users/queries/provider-clients.ts',
    'and client_secret is not null and id is distinct from $3',
    'and client_secret is not null and id = $3',
    clients,
  ],
  [
    'A code goes to the client that the user agreed to.',
    'services/connect/callback.ts',
    'if (id === null) return clientOf(deps.config, provider);',
    'if (id === null || id.length > 0) return clientOf(deps.config, provider);',
    clients,
  ],
  [
    'The access of an account is revoked while another client uses the account.',
    'services/users/queries/token-revocations.ts',
    'and k.client_id is not distinct from (select client_id from users.provider_client where id = $4) and (',
    'and ($4::uuid is null or true) and (',
    clients,
  ],
  [
    'Requests count against the limits of their own client.',
    'services/pull-ingest/pulled.ts',
    'const client = client_id ?? settingsOf',
    'const client = settingsOf',
    clients,
  ],
  [
    'A deleted project keeps no secret.',
    'services/users/users.service.ts',
    '      await eraseSecretsOf(database, params.project_id);\n',
    '',
    clients,
  ],
  [
    'A provider whose webhooks need more than a client refuses.',
    'services/users/provider-clients.ts',
    'if (projectClientRefusal !== null)',
    "if (projectClientRefusal === '')",
    clients,
  ],
  [
    'A secret of a former key is encrypted again.',
    'services/users/queries/provider-clients.ts',
    'where client_secret is not null and not starts_with(client_secret, $1)',
    'where client_secret is null and not starts_with(client_secret, $1)',
    'test/services/users/reseal-clients.test.ts',
  ],
];

/** Credentials and branding of a project. */
export const projectSettings: readonly PlantedFault[] = rows.map(([promise, file, before, after, test]) => ({
  ...{ kind: 'tenant', promise, file, before, after, test },
}));
