import { z } from 'zod';

/** One operation or event of the reference, as the navigation lists it. */
export interface ReferenceLink {
  readonly id: string;
  readonly summary: string;
  readonly method: string;
  readonly path: string;
}

/** The sections that the page shows besides those of operations; layout.js has the same names. */
const eventsName = 'Webhook events';
const schemasName = 'Schemas';

const Operations = z.record(
  z.string(),
  z.record(
    z.string(),
    z.object({ operationId: z.string(), summary: z.string(), tags: z.array(z.string()).default([]) }),
  ),
);
const Document = z.object({
  tags: z.array(z.object({ name: z.string() })),
  paths: Operations,
  webhooks: Operations,
});

/** The sections of the OpenAPI document, each with its operations. */
export function referenceOf(document: unknown): Map<string, readonly ReferenceLink[]> {
  const { tags, paths, webhooks } = Document.parse(document);
  const operations = linksOf(paths);
  const sections = new Map<string, readonly ReferenceLink[]>();
  for (const { name } of tags)
    sections.set(
      name,
      operations.filter((one) => one.tags.includes(name)),
    );
  sections.set(
    eventsName,
    linksOf(webhooks).map((event) => ({ ...event, method: '' })),
  );
  return sections.set(schemasName, [{ id: '', summary: 'All schemas', method: '', path: '' }]);
}

function linksOf(paths: z.infer<typeof Operations>) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, summary, tags }]) => ({
      id: operationId,
      summary,
      method: method.toUpperCase(),
      path,
      tags,
    })),
  );
}
