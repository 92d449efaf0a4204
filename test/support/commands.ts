import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { build } from 'esbuild';
import { inProject } from '../../src/platform/process/project.ts';

/** Some packages are CommonJS and `require` modules of node, but an ES module has no `require`. */
const REQUIRE = `import { createRequire as requireFrom } from 'node:module';
const require = requireFrom(import.meta.url);`;

/**
 * Compiles the project's commands and the tests' own programs for this test run. A compiled command
 * needs 0.2 s of processor time to start. With tsx, the same command needs 0.6 s.
 *
 * The compiled commands contain their packages. Otherwise node would spend half of a command's start
 * on finding and loading the many files of the packages.
 */
export async function compileCommands() {
  // Node finds the packages only from a folder inside the project.
  mkdirSync(inProject('node_modules/.rowlock'), { recursive: true });
  const folder = mkdtempSync(inProject('node_modules/.rowlock/commands-'));
  await build({
    entryPoints: ['scripts/*.ts', 'test/support/hold-*.ts'].map(inProject),
    outdir: folder,
    outbase: inProject('.'),
    bundle: true,
    splitting: true,
    // A bundled CommonJS package that is loaded by a dynamic import would have no named exports.
    external: ['esbuild', '@redis/client', 'libpg-query', 'vitest'],
    banner: { js: REQUIRE },
    platform: 'node',
    format: 'esm',
    jsx: 'automatic',
    jsxImportSource: 'hono/jsx',
    tsconfigRaw: {},
  });
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
