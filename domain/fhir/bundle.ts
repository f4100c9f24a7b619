/** A resource as it is sent. */
export interface Resource {
  readonly resourceType: string;
  readonly id: string;
}

/** The page of a search: its address and parameters, and the cursor of the next one. */
export interface SearchPage {
  /** The address of the server's FHIR API. */
  readonly base: string;
  readonly type: string;
  readonly params: Readonly<Record<string, readonly string[]>>;
  readonly next: string | null;
  /** Null: counting would cost more than the page. */
  readonly total: number | null;
  readonly resources: readonly Resource[];
}

/** The Bundle of a page of a search. */
export function searchset({ base, type, params, next, total, resources }: SearchPage) {
  const address = (more: Readonly<Record<string, readonly string[]>>) =>
    addressOf(`${base}/${type}`, { ...params, ...more });
  const links = [{ relation: 'self', url: address({}) }];
  if (next !== null) links.push({ relation: 'next', url: address({ _cursor: [next] }) });
  return {
    resourceType: 'Bundle' as const,
    type: 'searchset',
    ...(total === null ? {} : { total }),
    link: links,
    ...(resources.length === 0 ? {} : { entry: resources.map((resource) => entryOf(base, resource)) }),
  };
}

function entryOf(base: string, resource: Resource) {
  const fullUrl = `${base}/${resource.resourceType}/${resource.id}`;
  return { fullUrl, resource, search: { mode: 'match' } };
}

function addressOf(address: string, params: Readonly<Record<string, readonly string[]>>): string {
  const pairs = Object.entries(params).flatMap(([name, values]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const query = new URLSearchParams(pairs).toString();
  return query === '' ? address : `${address}?${query}`;
}
