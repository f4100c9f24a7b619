import type { PlantedFault } from '../planted.ts';

/** Faults of imported files. */
export const fileImport: readonly PlantedFault[] = [
  {
    kind: 'value',
    promise: 'Apple Health writes oxygen saturation as a fraction.',
    file: 'providers/file/apple.ts',
    before: "attributes.unit === '%' ? given * 100 : given;",
    after: "attributes.unit === '%' ? given : given;",
    test: 'test/services/file-import/apple.test.ts',
  },
  {
    kind: 'value',
    promise: 'Records in a correlation that the document has beside it count once.',
    file: 'services/file-import/reading/read-apple.ts',
    before: "add(element, isWithin && topTypes.has(element.attributes.type ?? ''));",
    after: 'add(element, false);',
    test: 'test/services/file-import/apple.test.ts',
  },
  {
    kind: 'retry',
    promise: 'An import that goes on does not store again what is stored.',
    file: 'services/file-import/run-import.ts',
    before: 'rules, skip: row.position };',
    after: 'rules, skip: 0 };',
    test: 'test/services/file-import/resume.test.ts',
  },
  {
    kind: 'value',
    promise: 'A file in an archive that unpacks to too many times its size is not read.',
    file: 'services/file-import/reading/zip.ts',
    before: 'uncompressedSize > compressedSize * mostRatio;',
    after: 'uncompressedSize < compressedSize * mostRatio;',
    test: 'test/services/file-import/wrong-input.test.ts',
  },
  {
    kind: 'erasure',
    promise: 'A part that arrives after the erasure of its user leaves nothing.',
    file: 'services/file-import/imports.ts',
    before: 'if (row === undefined || row.finished_at !== null) await deps.folder.remove(import_id);',
    after: 'if (row?.finished_at !== null) await deps.folder.ids();',
    test: 'test/services/file-import/imports.test.ts',
  },
  {
    kind: 'erasure',
    promise: 'An import that connects again after a purge is not deleted by it.',
    file: 'services/file-import/file-import.service.ts',
    before: 'purge: (ctx) => purgeImports(depsOf(ctx), ctx.params.user_id),',
    after: 'purge: (ctx) => forgetImports(depsOf(ctx), ctx.params.user_id),',
    test: 'test/services/file-import/imports.test.ts',
  },
  {
    kind: 'end',
    promise: 'A form whose sender goes away leaves no open import.',
    file: 'services/api-gateway/body/receive-file.ts',
    before: 'file?.destroy(error); // the part does not end with its form',
    after: 'file?.pause();',
    test: 'test/services/file-import/forms.test.ts',
  },
  {
    kind: 'value',
    promise: 'A type that PostgreSQL does not store costs no other entry of its file.',
    file: 'providers/file/entry.ts',
    before: "type: textOrNull(type, 100) ?? '',",
    after: 'type: type.slice(0, 100),',
    test: 'test/services/file-import/wrong-input.test.ts',
  },
];
