import type { PlantedFault } from '../planted.ts';

const test = 'test/http/embeds.test.ts';

export const embeds: readonly PlantedFault[] = [
  {
    kind: 'secret',
    promise: 'The token of an embedded page exports nothing.',
    file: 'domain/access.ts',
    before: "scopes: ['read', 'write'], own: true }",
    after: "scopes: ['read', 'write'], own: 'embed' }",
    test,
  },
  {
    kind: 'secret',
    promise: 'The token of an embedded page reads no profile.',
    file: 'domain/access.ts',
    before: "scopes: ['read', 'write', 'users'], own: true }",
    after: "scopes: ['read', 'write', 'users'], own: 'embed' }",
    test,
  },
  {
    kind: 'secret',
    promise: 'An embedded page does not outlive the API key that made it.',
    file: 'services/auth/queries/insert-family.ts',
    before: 'least(now() + make_interval(secs => $3), expires_at)',
    after: 'now() + make_interval(secs => $3)',
    test,
  },
  {
    kind: 'secret',
    promise: 'The token of an embedded page calls no tools.',
    file: 'services/api-gateway/mcp/serve-mcp.ts',
    before: "    if (caller.kind === 'sdk') requirePermission(caller, 'mcp');\n",
    after: '',
    test,
  },
  {
    kind: 'secret',
    promise: 'A token is limited to the scope of its claims.',
    file: 'services/auth/admission/admission.ts',
    before: 'row === null ? null : { ...row, scopes }',
    after: 'row === null ? null : { scopes, ...row }',
    test,
  },
  {
    kind: 'secret',
    promise: 'A page is not served for a token that was revoked.',
    file: 'services/auth/tokens/embeds.ts',
    before: '(await findFamily(database, claims.family, null)) === null ?',
    after: '(await findFamily(database, claims.family, null)) === undefined ?',
    test,
  },
  {
    kind: 'secret',
    promise: 'An origin cannot extend the policy of the page.',
    file: 'domain/embed-origin.ts',
    before: 'return form.test(text) && URL.canParse(text)',
    after: 'return URL.canParse(text)',
    test,
  },
];
