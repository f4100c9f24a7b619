import type { Config } from '../../config.ts';
import { database } from '../../mixins/database/database.ts';
import { orm } from '../../mixins/database/orm.ts';
import { reads } from '../../mixins/database/reads.ts';
import { jobs } from '../../mixins/jobs/jobs.ts';
import { cipherOf } from '../../mixins/provider-api/cipher.ts';
import type { Starting } from '../../runtime/environment.ts';
import { GroupedCounts } from './admission/grouped-counts.ts';
import { outage } from './admission/outage.ts';
import { ApiKey, Application, Developer } from './auth.entities.ts';
import { createPasswords } from './log-in/passwords.ts';
import { mailer } from './mail/mailer.ts';
import { oidc } from './oidc/provider.ts';
import type { AdmittedRow } from './queries/admit.ts';
import { tokenSignerOf } from './tokens/tokens.ts';

/** The resources in the context of every action of auth. */
export const authResources = {
  database: database(),
  reads: reads(),
  outage: outage(),
  jobs: jobs(),
  orm: orm([Developer, ApiKey, Application]),
  tokens: ({ config }: Starting) => tokenSignerOf(config),
  passwords: () => createPasswords(),
  cipher: ({ config }: Starting) => cipherOf(config),
  mailer: mailer(),
  oidc: oidc(),
  counts: () => new GroupedCounts<AdmittedRow>(),
  config: ({ config }: Starting): Config => config,
};
