import { z } from 'zod';
import { type Role, roles } from '../domain/access.ts';
import { list, url } from '../providers/setting-forms.ts';

/** Settings of the sign-in of developers. config.ts reads them. */

/** A role in a project that a value of the claim gives. */
interface RoleOfClaim {
  readonly value: string;
  readonly project: string;
  readonly role: Role;
}

const form = /^([^=]+)=([a-z0-9][a-z0-9-]{0,39}):(\w+)$/;
const rolesOfClaim = list.transform((pairs, context) =>
  pairs.flatMap((pair): RoleOfClaim[] => {
    const [, value, project, name] = form.exec(pair) ?? [];
    const role = roles.find((one) => one === name);
    if (value !== undefined && project !== undefined && role !== undefined)
      return [{ value: value.trim(), project, role }];
    context.addIssue(`must be value=project:role, …, each role one of ${roles.join(', ')}`);
    return [];
  }),
);

/** The forms of the settings, by name. */
export const signInSettings = {
  SMTP_URL: z.url({ protocol: /^smtps?$/, error: 'must be an smtp:// or smtps:// URL' }).optional(),
  MAIL_FROM: z
    .string()
    .max(320)
    .regex(
      /^([^<>\p{C}]+<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u,
      'must be an address, or Name <address>',
    )
    .optional(),
  PASSWORDS: z.enum(['on', 'off']).default('on'),
  OIDC_ISSUER: url.optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  OIDC_ALLOWED_DOMAINS: list.transform((domains) => domains.map((one) => one.toLowerCase())).default([]),
  OIDC_ROLE_CLAIM: z.string().default('groups'),
  OIDC_ROLES: rolesOfClaim.default([]),
};

/** The secrets among them, which only the service auth gets. */
export const signInSecrets = ['SMTP_URL', 'OIDC_CLIENT_SECRET'] as const;

interface Given {
  readonly SMTP_URL?: string | undefined;
  readonly MAIL_FROM?: string | undefined;
  readonly PASSWORDS: 'on' | 'off';
  readonly OIDC_ISSUER?: string | undefined;
  readonly OIDC_CLIENT_ID?: string | undefined;
}

const loopback = /^((.+\.)?localhost|127(\.\d+){3}|\[::1\])$/;

/** What is wrong with the settings together. */
export function signInProblems({
  SMTP_URL,
  MAIL_FROM,
  PASSWORDS,
  OIDC_ISSUER,
  OIDC_CLIENT_ID,
}: Given): string[] {
  const issuer = OIDC_ISSUER === undefined ? null : new URL(OIDC_ISSUER);
  const isPlain = issuer !== null && issuer.protocol === 'http:' && !loopback.test(issuer.hostname);
  return [
    ...(SMTP_URL !== undefined && MAIL_FROM === undefined
      ? ['MAIL_FROM: must be set where SMTP_URL is set']
      : []),
    ...(issuer !== null && OIDC_CLIENT_ID === undefined
      ? ['OIDC_CLIENT_ID: must be set where OIDC_ISSUER is set']
      : []),
    ...(isPlain ? ['OIDC_ISSUER: must be https, unless it is of this machine'] : []),
    ...(PASSWORDS === 'off' && issuer === null
      ? ['PASSWORDS: off leaves no way to sign in without OIDC_ISSUER']
      : []),
  ];
}
