import type { ArchiveContext } from './archives.ts';
import type { Entry } from './entry.ts';

/**
 * A document that is recognised by the beginning of its content, whatever its name is: a file of its own, or a member of an archive. It has
 * a folder beside this file, its name in `documentNames`, a line in `document-kinds.ts`, and its fields in `fields.ts`.
 */
export interface DocumentKind {
  readonly kind: DocumentName;
  /** How its content is read, by its first 64 KiB: JSON as one element, or the rows of a table. Null: it is another kind. */
  recognise(head: string): 'elements' | 'rows' | null;
  /** The entries of the whole document. */
  read(elements: readonly unknown[], context: DocumentContext): readonly Entry[];
}

/** What a document needs besides its content. */
export type DocumentContext = Pick<ArchiveContext, 'nowMs' | 'rules'>;

/** The documents that are recognised. */
export const documentNames = ['health_auto_export'] as const;
type DocumentName = (typeof documentNames)[number];
