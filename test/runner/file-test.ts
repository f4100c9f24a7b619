import { fileTest } from './file-tests.ts';

// run-files.ts resolves `tap` to this module, once per importing test file, which the query names.
const { searchParams } = new URL(import.meta.url);
export default fileTest(searchParams.get('importer') ?? '');
