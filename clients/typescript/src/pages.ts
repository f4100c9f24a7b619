/** The items of a page: of `data` where a cursor leads on, of `items` where pages have numbers. */
export type ItemOf<Page> = Page extends { data: (infer Item)[] }
  ? Item
  : Page extends { items: (infer Item)[] }
    ? Item
    : never;

type Read<Page> = (query: object) => Promise<Page>;

/**
 * A list. `await` reads one page, `for await` all items from there on, page by page as they are needed. Nothing is sent
 * before one of them is used.
 */
export class Pages<Page extends object> implements Promise<Page>, AsyncIterable<ItemOf<Page>> {
  readonly [Symbol.toStringTag] = 'Pages';
  readonly #read: Read<Page>;
  readonly #waits: boolean;
  #first: Promise<Page> | undefined;

  constructor(read: Read<Page>, params: object) {
    this.#read = read;
    this.#waits = 'wait_seconds' in params && Number(params.wait_seconds) > 0;
  }

  // biome-ignore lint/suspicious/noThenProperty: the first page is awaited like a promise
  then<A = Page, B = never>(
    onPage?: ((page: Page) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#firstPage().then(onPage, onError);
  }

  catch<B = never>(onError?: ((error: unknown) => B | PromiseLike<B>) | null): Promise<Page | B> {
    return this.#firstPage().catch(onError);
  }

  finally(onEnd?: (() => void) | null): Promise<Page> {
    return this.#firstPage().finally(onEnd);
  }

  /** All pages from this one on. A feed that is read with `wait_seconds` has no last page. */
  async *pages(): AsyncGenerator<Page, void, undefined> {
    let page = await this.#firstPage();
    for (;;) {
      yield page;
      const query = following(page, this.#waits);
      if (query === null) return;
      page = await this.#read(query);
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ItemOf<Page>, void, undefined> {
    for await (const page of this.pages()) yield* itemsOf(page);
  }

  /** The items in an array, `limit` at most. */
  async toArray(limit = Number.POSITIVE_INFINITY): Promise<ItemOf<Page>[]> {
    const items: ItemOf<Page>[] = [];
    if (limit <= 0) return items;
    for await (const item of this) if (items.push(item) >= limit) break;
    return items;
  }

  #firstPage(): Promise<Page> {
    this.#first ??= this.#read({});
    return this.#first;
  }
}

interface PageFields<Item> {
  readonly data?: readonly Item[];
  readonly pagination?: { readonly next_cursor: string | null; readonly has_more: boolean };
  readonly items?: readonly Item[];
  readonly page?: number;
  readonly pages?: number;
}

function following(page: PageFields<unknown>, waits: boolean): object | null {
  const { pagination, page: number = 0, pages = 0 } = page;
  if (pagination === undefined) return number < pages ? { page: number + 1 } : null;
  const { next_cursor: cursor, has_more } = pagination;
  return cursor !== null && (has_more || waits) ? { cursor } : null;
}

function itemsOf<Page>(page: Page & PageFields<ItemOf<Page>>): readonly ItemOf<Page>[] {
  return page.data ?? page.items ?? [];
}
