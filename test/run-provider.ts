// `npm run test:provider -- ./acme.ts`: the conformance suite with the providers of files or packages, which needs nothing of them but
// their descriptions. It starts a database and a bus of its own.
process.env.PROVIDERS = process.argv.slice(2).join(',');
if (process.env.PROVIDERS === '') throw new Error('usage: npm run test:provider -- ./acme.ts');
process.argv.splice(2, Number.POSITIVE_INFINITY, 'provider');
await import('./faults/run.ts');
