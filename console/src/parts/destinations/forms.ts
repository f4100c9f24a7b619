import type { DestinationKind } from '../../../../clients/typescript/src/index.ts';
import type { TargetErrorCode } from '../../../../domain/destinations/target-errors.ts';

/** A setting in the form of its kind. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly type?: 'text' | 'secret' | 'number' | 'yes';
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
      { name: 'secret_access_key', label: 'Secret access key', type: 'secret' },
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
};

/**
 * The settings that a form has. An empty field has its preset; null removes a setting without one. A secret that is not typed
 * stays as it is.
 */
export function settingsOf(
  fields: readonly Field[],
  value: (name: string) => string,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    fields.flatMap(({ name, type, preset }): [string, unknown][] => {
      const text = value(name).trim();
      if (type === 'yes') return [[name, text === 'on']];
      if (type === 'secret' && text === '') return [];
      const given = text === '' ? (preset ?? null) : text;
      return [[name, type === 'number' && given !== null ? Number(given) : given]];
    }),
  );
}

const address = 'Check the address in the settings.';
const waiting = 'It is tried again. Look at the store if this stays.';
const credentials = 'Set other credentials.';

/** What to do about an error, by its code. */
export const advice: Readonly<Record<TargetErrorCode, string>> = {
  address_refused: 'Use a public address, or have the operator add the host to DESTINATION_HOSTS.',
  ...{ name_unknown: address, unreachable: address, tls_failed: address },
  ...{ timed_out: waiting, cut_off: waiting, busy: waiting, failed: waiting },
  answer_invalid: 'Check the address and the region in the settings.',
  redirected: 'Check the address and the region in the settings.',
  ...{ credentials_refused: credentials, secrets_unreadable: credentials },
  not_permitted: 'Give the credentials the permission to list, read, write and delete, or set others.',
  missing: 'Create the bucket, stream, database or table, or change the settings.',
  schema_changed: 'Restore the table or the stream, or reset the destination.',
  full: 'Raise the quota of the store.',
  internal: 'Look at the log of the service.',
};

/** What to do about an error of any code. */
export const adviceOn = (code: string) =>
  Object.entries(advice).find(([known]) => known === code)?.[1] ?? waiting;
