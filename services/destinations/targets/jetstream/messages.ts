import { createHash } from 'node:crypto';
import type { RecordKind } from '../../../../domain/destinations/columns.ts';
import { columnList } from '../../../../domain/destinations/columns.ts';
import { TargetError } from '../../../../domain/destinations/target-errors.ts';
import { generationOf } from '../../copy/copy-progress.ts';
import type { Run } from '../target.ts';
import type { Message, StreamClient } from './jetstream-client.ts';
import type { JetstreamSettings } from './jetstream-settings.ts';

/** What a message is about. */
interface About {
  readonly action: 'replace' | 'delete' | 'erase' | 'complete';
  readonly sequence: string;
  readonly kind?: 'sample' | RecordKind;
  /** The series type, or the kind of records. The last token but one of the subject. */
  readonly type: string;
  readonly user_id?: string;
  /** Values that all rows have. */
  readonly common?: Readonly<Record<string, unknown>>;
  /** Rows that the message replaces: all with these values, in this span, or with one of these keys. */
  readonly replaces?: Readonly<Record<string, unknown>>;
  readonly columns?: readonly string[];
}

/** Makes messages and sends them. */
export interface Publisher {
  /** The bytes that the rows of a message may have together. */
  readonly rowBytes: number;
  /** `rows` are JSON texts. */
  send(about: About, rows?: readonly string[]): Promise<void>;
}

/** Rows are sent in messages of about this size, or of the size that the stream takes. V8 frees texts of more than 128 KiB late. */
const wantedBytes = 126 * 1024;
/** What a message has besides its rows and keys, at most. */
const headBytes = 2048;

/** A publisher for a part of a destination. */
export function publisherOf(
  { destination }: Run,
  settings: JetstreamSettings,
  client: StreamClient,
): Publisher {
  const { id: destination_id, project_id, version } = destination;
  // A copy that has not begun yet gets this version as its number.
  const generation = generationOf(destination) ?? version;
  return {
    rowBytes: Math.min(wantedBytes, client.mostBytes) - headBytes,
    async send({ type, sequence, user_id, ...rest }, rows) {
      const head = JSON.stringify({
        ...{ version: 1, destination_id, generation, sequence },
        ...{ type, ...(user_id === undefined ? {} : { user_id }), ...rest },
      });
      const body = Buffer.from(
        rows === undefined ? head : `${head.slice(0, -1)},"rows":[${rows.join(',')}]}`,
      );
      if (body.length > client.mostBytes) throw new TargetError('too_large');
      const subject = subjectOf(settings, project_id, type, rest.action === 'erase' ? undefined : user_id);
      await client.publish({ subject, id: idOf(destination_id, sequence, body), body });
    },
  };
}

/** The subject of a type, and of a user where there is one: `*` stands for all. */
export function subjectOf(
  { subject_prefix }: Pick<JetstreamSettings, 'subject_prefix'>,
  project: string,
  type: string,
  user: string | undefined,
): string {
  return [subject_prefix, project, type, ...(user === undefined ? [] : [user])].join('.');
}

// A repeated part may have other rows, because the data has changed meanwhile. Such messages have other ids.
function idOf(destinationId: string, sequence: string, body: Buffer): Message['id'] {
  return `${destinationId}:${sequence}:${createHash('sha256').update(body).digest('base64url').slice(0, 22)}`;
}

/** The names of the columns of samples that differ from row to row. */
export const sampleColumns = ['time', 'duration_ms', 'value', 'zone_offset_minutes'] as const;

/** The names of the columns of records. */
export function recordColumns(kind: RecordKind): readonly string[] {
  return columnList(kind).map(({ name }) => name);
}
