/** See install.js. */
export function addPackage(root: string, name: string): Promise<void>;
/** See install.js. */
export function install(root: string, group: 'all' | 'runtime'): Promise<void>;
/** See install.js. */
export function isInstalled(root: string, group: 'all' | 'runtime'): boolean;
