import type { Database } from '../../../mixins/database/database.ts';
import type { Orm } from '../../../mixins/database/orm.ts';
import type { Jobs } from '../../../mixins/jobs/jobs.ts';
import type { Cipher } from '../../../mixins/provider-api/cipher.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import type { Environment, Meta } from '../../../runtime/environment.ts';
import type { TokenSigner } from '../rules/access-tokens.ts';
import type { BcryptQueue } from './application-secrets.ts';
import type { Mailer } from './mail.ts';
import type { Oidc } from './oidc.ts';
import type { Passwords } from './passwords.ts';

/** What the actions and jobs of auth depend on. A function names the part that it uses. */
export interface AuthDeps extends Pick<Environment, 'config' | 'logger' | 'call'> {
  readonly database: Database;
  readonly orm: Orm;
  readonly jobs: Jobs;
  readonly tokens: TokenSigner;
  readonly passwords: Passwords;
  readonly bcrypt: BcryptQueue;
  readonly cipher: Cipher;
  /** Null without SMTP_URL. */
  readonly mailer: Mailer | null;
  /** Null without OIDC_ISSUER. */
  readonly oidc: Oidc | null;
  readonly origin: AuditOrigin;
  readonly meta: Meta;
}

/** Dependencies of a change that has an audit entry. */
export type ChangeDeps = Pick<AuthDeps, 'database' | 'origin'>;

/** Dependencies of work that calls other services. */
export type CallDeps = Pick<AuthDeps, 'database' | 'call'>;
