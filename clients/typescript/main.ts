// `npm run client`: installs the packages of this folder if they are missing, then writes src/generated and dist.
// usage: node main.ts [folder of the generated source] [folder of the package]
import { install, isInstalled } from '../../stack/install/install.js';

if (!isInstalled(import.meta.dirname, 'all')) await install(import.meta.dirname, 'all');
const [generated, dist] = process.argv.slice(2);
const { generate } = await import('./generate.ts');
await generate(generated);
const { buildPackage } = await import('./build.ts');
await buildPackage(dist);
console.log('The client is in clients/typescript/dist.');
