import type { Call, Meta } from '../../../runtime/environment.ts';

interface Deps {
  readonly call: Call;
  readonly meta: Meta;
  readonly onRead: (userId: string) => void;
}

/**
 * The resources of a file of a FHIR export, read part by part as the client consumes them. @throws EXPORT_NOT_FOUND (404) before
 * the first line
 */
export async function* exportFile(
  { call, meta, onRead }: Deps,
  file: { readonly export_id: string; readonly file: string },
): AsyncGenerator<object> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const part: Part = await call('fhir.exportPart', { ...file, cursor }, { meta });
    for (const userId of part.user_ids) onRead(userId);
    yield* part.resources;
    cursor = part.next;
  }
}

interface Part {
  readonly resources: readonly object[];
  readonly user_ids: readonly string[];
  readonly next: string | null;
}
