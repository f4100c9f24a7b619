/**
 * Who may do what. Every route of a contract names one permission, and this table states which roles, scopes of API keys
 * and user tokens have it. The checks of a request, the documentation and the test of each route follow from it.
 */

/** The roles of a member in a project. An owner of the installation has every permission in every project. */
export const roles = ['admin', 'developer', 'support', 'analyst'] as const;
export type Role = (typeof roles)[number];

/** The scopes of an API key; several add up. A key without a list has all of them. */
export const keyScopes = ['read', 'write', 'users', 'data'] as const;
export type KeyScope = (typeof keyScopes)[number];

/** The kinds of credentials. */
export type CallerKind = 'api-key' | 'developer' | 'sdk';

interface Rule {
  readonly roles: readonly Role[];
  readonly scopes: readonly KeyScope[];
  /**
   * A user token has it too, for its own user. That of an embedded page, which has scopes, has it only if this is `embed`, and
   * `scopes` has one of them.
   */
  readonly own?: true | 'embed';
  /** `account`: concerns the caller's own account, in no project. `installation`: concerns all projects; only those of `default` may. */
  readonly of?: 'account' | 'installation';
}

const everyone = roles;
const builders = ['admin', 'developer'] as const;
const analysts = ['admin', 'developer', 'analyst'] as const;
const supporters = ['admin', 'developer', 'support'] as const;

const table = {
  account: { roles: everyone, scopes: [], of: 'account' },
  accounts: { roles: [], scopes: [] },
  members: { roles: ['admin'], scopes: [] },
  'project.settings': { roles: ['admin'], scopes: [] },
  audit: { roles: ['admin'], scopes: [] },
  retention: { roles: ['admin'], scopes: [] },
  credentials: { roles: builders, scopes: [] },
  'tokens.issue': { roles: builders, scopes: [] },
  'embeds.create': { roles: builders, scopes: ['write', 'data'] },
  'users.list': { roles: everyone, scopes: ['read', 'write', 'users'] },
  'users.read': { roles: everyone, scopes: ['read', 'write', 'users'], own: true },
  'users.write': { roles: builders, scopes: ['write', 'users'] },
  'connections.link': { roles: supporters, scopes: ['write', 'users'], own: true },
  'connections.write': { roles: builders, scopes: ['write', 'users'] },
  'data.read': { roles: analysts, scopes: ['read', 'write', 'data'], own: 'embed' },
  'data.write': { roles: builders, scopes: ['write', 'data'] },
  'data.upload': { roles: builders, scopes: ['write', 'data'], own: true },
  'imports.read': { roles: everyone, scopes: keyScopes, own: true },
  'data.export': { roles: analysts, scopes: ['read', 'write'], own: true },
  'accesses.read': { roles: ['admin'], scopes: [], own: true },
  'changes.read': { roles: analysts, scopes: ['read', 'write'] },
  'webhooks.read': { roles: builders, scopes: ['read', 'write'] },
  'webhooks.write': { roles: builders, scopes: ['write'] },
  'destinations.read': { roles: builders, scopes: ['read', 'write'] },
  'destinations.write': { roles: builders, scopes: ['write'] },
  'providers.read': { roles: everyone, scopes: ['read', 'write'] },
  'status.read': { roles: everyone, scopes: ['read', 'write'], of: 'installation' },
  'deliveries.read': { roles: supporters, scopes: ['read', 'write'], of: 'installation' },
  'deliveries.bodies': { roles: builders, scopes: ['read', 'write'], of: 'installation' },
  'deliveries.write': { roles: builders, scopes: ['write'], of: 'installation' },
  mcp: { roles: everyone, scopes: keyScopes, own: true },
  operations: { roles: [], scopes: [], of: 'installation' },
} as const satisfies Readonly<Record<string, Rule>>;

/** What a route needs of its caller. */
export type Permission = keyof typeof table;
export const permissions: Readonly<Record<Permission, Rule>> = table;

/** The project of an installation that has made no other. Its id is part of the data of earlier versions. */
export const defaultProject = 'default';

/** The kinds of credentials that can have a permission. An owner has every one. */
export function kindsWith(permission: Permission): readonly CallerKind[] {
  const { scopes, own } = permissions[permission];
  return [
    ...(scopes.length > 0 ? (['api-key'] as const) : []),
    'developer',
    ...(own === undefined ? [] : (['sdk'] as const)),
  ];
}

/** Whether a permission holds in a project at all. */
export function holdsIn(permission: Permission, project: string | null): boolean {
  const { of } = permissions[permission];
  return of === 'account' || (project !== null && (of !== 'installation' || project === defaultProject));
}

/** What decides: the role of a developer, the scopes of a key or of a user token. */
export interface Holder {
  readonly kind: CallerKind;
  readonly role: Role | 'owner' | null;
  readonly scopes: readonly KeyScope[] | null;
}

/** Whether a caller has a permission. That of a user token is also bound to its own user. */
export function isPermitted({ kind, role, scopes }: Holder, permission: Permission): boolean {
  const rule = permissions[permission];
  const isInScope = rule.scopes.some((scope) => scopes === null || scopes.includes(scope));
  if (kind === 'sdk') return scopes === null ? rule.own !== undefined : rule.own === 'embed' && isInScope;
  if (kind === 'api-key') return isInScope;
  return rule.of === 'account' || role === 'owner' || rule.roles.some((one) => one === role);
}
