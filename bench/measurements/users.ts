import { z } from 'zod';
import type { Bench, Measurement } from '../bench.ts';
import { ensureFewUsers } from '../dataset/ensure.ts';
import { type Product, startProduct } from '../product.ts';
import { latencies, targetOf } from '../requests.ts';
import { inRounds } from '../rounds.ts';
import { type Pair, pairRow } from '../row.ts';
import { measureThroughput } from '../throughput.ts';

const limit = 20;
const Found = z.object({ total: z.int(), items: z.array(z.object({ email: z.string() })) });

/** The list of many users against that of few. */
export const users: Measurement = {
  name: 'users',
  async run(bench) {
    const few = await startProduct({ databaseUrl: await ensureFewUsers(bench, bench.sizes) });
    try {
      const rows = [];
      for (const one of await cases(bench, few)) rows.push(await compare(bench, few, one));
      rows.push(await rates(bench));
      return {
        title: 'The list of users',
        about: `Median time of an answer over one connection, pages of ${limit} with exact total. A: ${bench.sizes.users.toLocaleString('en')} users. B: ${bench.sizes.fewUsers.toLocaleString('en')}.`,
        rows,
      };
    } finally {
      await few.stop();
    }
  },
};

interface Case {
  readonly what: string;
  readonly many: readonly string[];
  readonly few: readonly string[];
  readonly goal?: Pair['goal'];
}

async function cases({ sizes, product }: Bench, few: Product): Promise<Case[]> {
  const goal = { most: 2 };
  const same = (what: string, query: string) => ({ what, many: [query], few: [query], goal });
  const pageCase = (what: string, query: string, part: number) => {
    const path = (count: number) => `${query}&page=${Math.max(1, Math.round((count / limit) * part))}`;
    return { what, many: [path(sizes.users)], few: [path(sizes.fewUsers)], goal };
  };
  const address = (index: number) => addressOf(product, index);
  const [a = '', b = ''] = [await address(41), await addressOf(few, 41)];
  const common = 'search=tran';
  return [
    pageCase('first page', 'sort_by=created_at', 0),
    pageCase('middle page', 'sort_by=created_at', 0.5),
    pageCase('last page', 'sort_by=created_at', 1),
    pageCase('middle page by last name', 'sort_by=last_name&sort_order=asc', 0.5),
    { what: 'search for an e-mail address', many: [`search=${a}`], few: [`search=${b}`], goal },
    {
      what: 'search for the start of one',
      many: [`search=${a.slice(0, 9)}`],
      few: [`search=${b.slice(0, 9)}`],
      goal,
    },
    same('search for a piece of an external id (10 match)', 'search=crm-00005'),
    same('search that nobody matches', 'search=nobody-has-this'),
    {
      what: `search for a syllable (${await totalOf(product, common)} and ${await totalOf(few, common)} match)`,
      many: [common],
      few: [common],
    },
  ];
}

async function compare(bench: Bench, few: Product, { what, many, few: ofFew, goal }: Case) {
  const { a, b } = await latencies(bench, {
    a: targetOf(bench.product, many.map(pathOf)),
    b: targetOf(few, ofFew.map(pathOf)),
  });
  return pairRow({ what, a, b, unit: 'ms', ...(goal === undefined ? {} : { goal }) });
}

async function rates(bench: Bench) {
  const { product, sizes } = bench;
  const searched = await addressOf(product, 3);
  const { a, b } = await inRounds(sizes.throughputRounds, {
    a: measureThroughput(bench, targetOf(product, [pathOf('page=1')]), []).measure,
    b: measureThroughput(bench, targetOf(product, [pathOf(`search=${searched}`)]), []).measure,
  });
  const what = 'answers a second over 16 connections, many users; A: first page, B: search';
  return pairRow({ what, a, b, unit: '/s' });
}

function pathOf(query: string): string {
  return `/users?limit=${limit}&${query}`;
}

async function addressOf(product: Product, index: number): Promise<string> {
  const { items } = Found.parse(await product.get(`/users?limit=50&sort_by=email&sort_order=asc`));
  return encodeURIComponent(items[index]?.email ?? '');
}

async function totalOf(product: Product, query: string): Promise<string> {
  return Found.parse(await product.get(`/users?limit=1&${query}`)).total.toLocaleString('en');
}
