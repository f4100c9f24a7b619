import { z } from 'zod';
import type { FieldReader } from '../../domain/provider/field-table.ts';
import { SharedData } from '../../domain/provider/provider.ts';
import { isFieldEnd } from '../../domain/recipe/field-ends.ts';
import { isItem, stepsOf } from '../../domain/recipe/read-fields.ts';
import { settingNames } from '../listed.ts';
import { moduleVersion, type OutsideDescription } from './description.ts';

/** What the compiler checks in the tree is checked here when a description is loaded: its author may not have compiled it. */
export function isDescription(value: unknown, taken: readonly string[]): value is OutsideDescription {
  return problemsOf(value, taken).length === 0;
}

/** What is wrong in a description, each with its path. The version and the name come first: they alone decide whether the rest is read. */
export function problemsOf(value: unknown, taken: readonly string[]): string[] {
  const head = z.object({ version: z.unknown(), name: Name }).safeParse(value, { error: sentence });
  if (!isItem(value)) return ['it has no default export that is a description'];
  if (value.version !== moduleVersion)
    return [
      `it is written for version ${String(value.version)} of pulsebus/provider, and this is version ${moduleVersion}`,
    ];
  if (!head.success) return issuesOf(head.error);
  if (taken.includes(head.data.name)) return [`name: there is a provider ${head.data.name} already`];
  const parsed = Description.safeParse(value, { error: sentence });
  if (!parsed.success) return issuesOf(parsed.error);
  const { name, provider, collections } = parsed.data;
  return [
    ...settingProblems(name.toUpperCase(), provider.settings, provider.pull.notifications !== null),
    ...regionProblems(provider),
    ...Object.entries(collections).flatMap(([collection, { fields }]) =>
      Object.entries(fields).flatMap(([path, field]) =>
        fieldProblems(path, field).map(
          (problem) => `collections.${collection}.fields["${path}"]: ${problem}`,
        ),
      ),
    ),
  ];
}

const anyFunction = z.custom<(...given: never) => unknown>(
  (value) => typeof value === 'function',
  'must be a function',
);
const schema = z.custom<z.ZodType>((value) => value instanceof z.ZodType, 'must be a Zod schema');
const Name = z.string().regex(/^[a-z][a-z0-9]{1,30}$/, 'must be 2 to 31 small letters and digits');
const Header = z.string().regex(/^[a-z0-9-]+$/, 'must be a header in small letters');
const texts = z.array(z.string());
const anyObject = z.custom<object>((value) => isItem(value), 'must be an object');

const Regions = z.record(
  z.string().regex(/^[a-z]{2,20}$/, 'must be 2 to 20 small letters'),
  z.object({
    country: z
      .string()
      .regex(/^[A-Z]{2}$/, 'must be a country such as US')
      .nullable(),
    settings: z.record(z.string(), z.string()),
  }),
);

const Provider = z.object({
  title: z.string().min(1).max(60),
  colour: z.string().regex(/^#[0-9a-f]{6}$/, 'must be a colour such as #5d8017'),
  settings: z.record(z.string(), schema),
  normaliserVersion: z.int().min(1).max(32_767),
  projectClientRefusal: z.string().nullable(),
  regions: Regions.optional(),
  oauth: z.object({
    authorizeUrl: anyFunction,
    tokenUrl: anyFunction,
    scope: z.string().nullable(),
    usesPkce: z.boolean(),
    clientAuthentication: z.enum(['form', 'basic']),
    grant: z.discriminatedUnion('from', [
      z.object({ from: z.literal('token-answer'), readAccount: anyFunction }),
      z.object({
        from: z.literal('requests'),
        accountPath: z.string(),
        readAccount: anyFunction,
        scope: anyObject.nullable(),
      }),
    ]),
    isScopeEnough: anyFunction.optional(),
    revocation: anyObject.nullable(),
  }),
  webhooks: z.object({
    clientIdHeaders: z.array(Header),
    keptHeaders: z.array(Header),
    subscriptionSettings: texts,
    body: anyObject,
  }),
  shares: z.array(SharedData),
  cadenceHours: z.partialRecord(SharedData, z.number().positive()),
  pull: z.object({
    notifications: anyObject.nullable(),
    probe: z.looseObject({ path: z.string() }),
    failure: anyFunction,
    limits: z.array(
      z.object({ of: z.enum(['account', 'application']), requests: anyFunction, windowMs: z.int() }),
    ),
    pace: z.object({ settleMs: z.int(), floorMs: z.int() }),
    subscription: anyObject.nullable(),
  }),
});

const Field = z.object({
  unit: z.string().nullable().optional(),
  ends: texts.optional(),
  notKept: z.string().optional(),
  read: z.custom<FieldReader>((value) => typeof value === 'function', 'must be a function').optional(),
});
type LooseField = z.infer<typeof Field>;

const Collection = z.object({
  fields: z.record(z.string(), Field),
  device: z.string(),
  read: z.looseObject({ path: z.string() }),
  scopes: texts,
  longestSpanDays: z.number().positive(),
  recentDays: z.number().positive(),
  sweepDays: z.number().positive().optional(),
  complete: anyFunction.optional(),
  join: anyFunction.optional(),
});

const Description = z.object({
  name: Name,
  provider: Provider,
  collections: z
    .record(z.string().regex(/^[a-z][a-z0-9_]*$/), Collection)
    .refine((all) => Object.keys(all).length > 0, 'must have one or more'),
  twin: anyObject,
});

function sentence({ code, input }: { readonly code: string; readonly input?: unknown }): string | undefined {
  return input === undefined && code !== 'custom' ? 'is missing' : undefined;
}

const issuesOf = ({ issues }: z.ZodError): string[] =>
  issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`);

// A setting of another name would be one of this product, or of another provider.
function settingProblems(
  name: string,
  settings: Readonly<Record<string, z.ZodType>>,
  isNotifying: boolean,
): string[] {
  const { webhookSecrets, webhookSenders, ...others } = settingNames(name);
  const own: readonly string[] = isNotifying ? [webhookSecrets, webhookSenders] : [];
  const usual = [...own, ...Object.values(others)];
  const missing = usual.filter((setting) => !Object.hasOwn(settings, setting));
  const foreign = Object.keys(settings).filter(
    (setting) => !own.includes(setting) && !setting.startsWith(`${name}_`),
  );
  const required = Object.entries(settings).filter(([, form]) => !form.safeParse(undefined).success);
  return [
    ...missing.map((setting) => `provider.settings.${setting}: is missing`),
    ...foreign.map((setting) => `provider.settings.${setting}: must begin with ${name}_`),
    ...required.map(([setting]) => `provider.settings.${setting}: must be optional or have a default`),
  ];
}

// A setting of another name would be sent to the provider: it may be a secret of this product.
function regionProblems({ regions = {}, settings, pull }: z.infer<typeof Provider>): string[] {
  const foreign = Object.entries(regions).flatMap(([region, one]) =>
    Object.entries(one.settings)
      .flat()
      .filter((setting) => !Object.hasOwn(settings, setting))
      .map((setting) => `provider.regions.${region}.settings: ${setting} is no setting of the provider`),
  );
  const isOfApplication = isItem(pull.subscription) && pull.subscription.of === 'application';
  return isOfApplication && Object.keys(regions).length > 0
    ? [...foreign, 'provider.regions: cannot be combined with a subscription of the application']
    : foreign;
}

function fieldProblems(path: string, { notKept, ends = [], unit = null, read }: LooseField): string[] {
  if (notKept !== undefined) return [];
  const unknown = ends.filter((end) => !isFieldEnd(end));
  if (unknown.length > 0) return unknown.map((end) => `there is no end ${end}`);
  const [end, ...others] = ends.filter(isFieldEnd);
  if (end === undefined) return ['it ends nowhere'];
  try {
    stepsOf({ [path]: { unit, ends: [end, ...others], ...(read === undefined ? {} : { read }) } });
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}
