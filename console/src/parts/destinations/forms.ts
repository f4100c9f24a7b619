import type { DestinationKind } from '../../../../clients/typescript/src/index.ts';
import type { TargetErrorCode } from '../../../../domain/destinations/target-errors.ts';

/** A setting in the form of its kind. */
export interface Field {
  readonly name: string;
  readonly label: string;
  /** `lines`: several lines; `list`: items with commas between them. */
  readonly type?: 'text' | 'lines' | 'list' | 'number' | 'yes';
  /** It is never shown, and stays if nothing is typed. */
  readonly isSecret?: boolean;
  /** The values, with what they are called. */
  readonly choices?: Readonly<Record<string, string>>;
  readonly isOptional?: boolean;
  readonly placeholder?: string;
  /** The value of a new destination, and of an empty field. */
  readonly preset?: string;
  /** Few change it: it is shown by request. */
  readonly isRare?: boolean;
}

/** What is said of a kind before its settings, and the settings. */
export interface KindForm {
  readonly about: string;
  readonly fields: readonly Field[];
}

const tls: readonly Field[] = [
  {
    name: 'tls',
    label: 'Encryption',
    preset: 'verify',
    isRare: true,
    choices: { verify: 'TLS, with a verified certificate', off: 'none' },
  },
  {
    name: 'tls_ca',
    label: 'Certificate of its own authority, in PEM form',
    type: 'lines',
    isOptional: true,
    isRare: true,
  },
];

/** The settings of each kind, in their order. */
export const forms: Readonly<Record<DestinationKind, KindForm>> = {
  s3: {
    about:
      'Parquet files in a bucket of any store that speaks S3. The access key may list, read, write and delete in it.',
    fields: [
      {
        name: 'endpoint',
        label: 'Address of the store',
        placeholder: 'https://s3.eu-central-1.amazonaws.com',
      },
      { name: 'region', label: 'Region', preset: 'us-east-1' },
      { name: 'bucket', label: 'Bucket' },
      { name: 'prefix', label: 'Folder', isOptional: true, preset: '' },
      { name: 'access_key_id', label: 'Access key id' },
      { name: 'secret_access_key', label: 'Secret access key', isSecret: true },
      {
        name: 'interval_seconds',
        label: 'Seconds between two writes of a file',
        type: 'number',
        preset: '300',
        isRare: true,
      },
      {
        name: 'hourly_days',
        label: 'Days with a file for each hour',
        type: 'number',
        preset: '1',
        isRare: true,
      },
      { name: 'virtual_host', label: 'The bucket is a part of the host name', type: 'yes', isRare: true },
    ],
  },
  postgres: {
    about:
      'Tables in a database of yours, which are made in a schema of their own. The user may create them.',
    fields: [
      { name: 'host', label: 'Host', placeholder: 'db.example.com' },
      { name: 'port', label: 'Port', type: 'number', preset: '5432' },
      { name: 'database', label: 'Database' },
      { name: 'user', label: 'User' },
      { name: 'password', label: 'Password', isSecret: true },
      { name: 'schema', label: 'Schema', preset: 'pulsebus' },
      ...tls,
    ],
  },
  jetstream: {
    about: 'Messages in a stream of yours. It takes the subjects that begin with the prefix.',
    fields: [
      { name: 'servers', label: 'Servers', type: 'list', placeholder: 'nats.example.com:4222' },
      { name: 'stream', label: 'Stream' },
      { name: 'subject_prefix', label: 'Prefix of the subjects', preset: 'pulsebus' },
      { name: 'user', label: 'User', isOptional: true },
      { name: 'password', label: 'Password', isSecret: true, isOptional: true },
      { name: 'token', label: 'Token in place of a user', isSecret: true, isOptional: true, isRare: true },
      {
        name: 'creds',
        label: 'Content of a credentials file in place of a user',
        type: 'lines',
        isSecret: true,
        isOptional: true,
        isRare: true,
      },
      ...tls,
    ],
  },
};

/**
 * The settings that a form has. An empty field has its preset; null removes a setting without one. Secrets that are not typed
 * stay as they are, but those that another one replaces are removed.
 */
export function settingsOf(
  fields: readonly Field[],
  value: (name: string) => string,
): Readonly<Record<string, unknown>> {
  const isReplaced = fields.some(({ name, isSecret }) => isSecret && value(name).trim() !== '');
  return Object.fromEntries(
    fields.flatMap(({ name, type, preset, isSecret, isOptional }): [string, unknown][] => {
      const text = value(name).trim();
      if (isSecret && text === '') return isOptional && isReplaced ? [[name, null]] : [];
      const given = text === '' ? (preset ?? null) : text;
      if (type === 'yes') return [[name, text === 'on']];
      if (type === 'list') return [[name, text.split(',').map((one) => one.trim())]];
      return [[name, type === 'number' && given !== null ? Number(given) : given]];
    }),
  );
}

const address = 'Check the address in the settings.';
const waiting = 'It is tried again. Look at the store if this stays.';
const credentials = 'Set other credentials.';

/** What to do about an error, by its code. */
const advice: Readonly<Record<TargetErrorCode, string>> = {
  address_refused: 'Use a public address, or have the operator add the host to DESTINATION_HOSTS.',
  name_unknown: address,
  unreachable: address,
  tls_failed: address,
  timed_out: waiting,
  cut_off: waiting,
  busy: waiting,
  failed: waiting,
  answer_invalid: 'Check the address and the region in the settings.',
  answer_too_large: address,
  answer_too_costly: address,
  list_too_long: 'Set an empty prefix, or delete the objects below this one.',
  too_slow: waiting,
  redirected: 'Check the address and the region in the settings.',
  credentials_refused: credentials,
  secrets_unreadable: credentials,
  not_permitted: 'Give the credentials the permission to list, read, write and delete, or set others.',
  missing: 'Create the bucket, stream, database or table, or change the settings.',
  schema_changed: 'Restore the table or the stream, or reset the destination.',
  too_large: 'Raise the size that a message of the stream may have.',
  full: 'Raise the quota of the store.',
  internal: 'Look at the log of the service.',
};

/** What to do about an error of any code. */
export const adviceOn = (code: string) =>
  Object.entries(advice).find(([known]) => known === code)?.[1] ?? waiting;
