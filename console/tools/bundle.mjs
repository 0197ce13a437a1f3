// One bundle for the first visit, and one for each screen.
//
// esbuild puts what two entries share into a script for each set of entries: dozens of small ones, each a request. What
// every visit loads anyway, and what most screens share, is put together into one script here.

import { createHash } from "node:crypto";
import { basename } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { build } from "esbuild";

const MAIN = "src/main.tsx";
/** A part that so many entries share is in the first script. */
const MANY = 20;

/**
 * Return the files of the console by name: `content` (bytes), its `entry` (null for shared parts and styles), the names
 * that it imports, `static` of these at once, and `css` of the first script.
 *
 * `options` are those of esbuild. All names end with a hash of all scripts, and of `later`, the source of what changes
 * them afterwards: the first script and those of the screens name each other, so none has a hash of its content alone.
 */
export async function bundled(options, later = "") {
  const { outputFiles, metafile } = await build({
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    minify: true,
    metafile: true,
    write: false,
    legalComments: "none",
    logLevel: "warning",
    define: { "process.env.NODE_ENV": '"production"' },
    outdir: "out",
    ...options,
    entryPoints: [MAIN],
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
  });
  const parts = new Map();
  for (const [path, output] of Object.entries(metafile.outputs)) {
    const { contents } = outputFiles.find((file) => basename(file.path) === basename(path));
    const named = (kind) => output.imports.filter((each) => each.kind === kind).map((each) => basename(each.path));
    parts.set(basename(path), {
      content: Buffer.from(contents),
      entry: output.entryPoint ?? null,
      exports: output.exports,
      static: named("import-statement"),
      later: named("dynamic-import"),
      css: output.cssBundle ? basename(output.cssBundle) : null,
    });
  }
  return withNames(await withFirst(parts), later);
}

/** Put the parts of the first script together, and let all others import from it. */
async function withFirst(parts) {
  const [main] = [...parts].find(([, { entry }]) => entry === MAIN);
  const first = closureOf(parts, [main, ...sharedByMany(parts)]);
  const others = new Map([...parts].filter(([name]) => !first.has(name)));
  const exported = [...first].filter((name) => name !== main);
  const lines = exported.map((name) => {
    const names = parts.get(name).exports.map((each) => `${each} as ${aliasOf(name, each)}`);
    return `export {${names}} from "./${name}";`;
  });
  const { outputFiles } = await build({
    stdin: { contents: [...lines, `import "./${main}";`].join("\n"), resolveDir: "/" },
    bundle: true,
    format: "esm",
    target: "es2022",
    minify: true,
    write: false,
    logLevel: "warning",
    plugins: [fromMemory(parts)],
  });
  for (const part of others.values()) {
    if (part.exports) part.content = Buffer.from(importingFrom(main, first, part.content.toString()));
    part.static = [...new Set(part.static.map((name) => (first.has(name) ? main : name)))];
  }
  const later = [...new Set([...first].flatMap((name) => parts.get(name).later))];
  const content = Buffer.from(outputFiles[0].contents);
  return new Map([[main, { ...parts.get(main), content, later, static: [] }], ...others]);
}

/** Return the names of shared parts that many entries load at once. */
function sharedByMany(parts) {
  const users = new Map();
  for (const [name, { entry }] of parts) {
    if (!entry) continue;
    for (const each of closureOf(parts, [name])) users.set(each, (users.get(each) ?? 0) + 1);
  }
  return [...users].filter(([name, count]) => count >= MANY && !parts.get(name).entry).map(([name]) => name);
}

/** Return these parts and all that they import at once. */
function closureOf(parts, names) {
  const closure = new Set(names);
  for (const name of closure) for (const each of parts.get(name).static) closure.add(each);
  return closure;
}

/** Name what a part exports in the first script. */
function aliasOf(name, exported) {
  return `${name.replace(/\W/g, "_")}_${exported}`;
}

/** Give esbuild the parts from memory, and leave what is loaded later where it is. */
function fromMemory(parts) {
  return {
    name: "from memory",
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /./ }, ({ kind, path }) =>
        kind === "dynamic-import" ? { path, external: true } : { path: basename(path), namespace: "part" },
      );
      onLoad({ filter: /./, namespace: "part" }, ({ path }) => ({ contents: parts.get(path).content, loader: "js" }));
    },
  };
}

/** Rewrite the imports of a script, as esbuild writes them: what is in the first script comes from there. */
function importingFrom(main, first, code) {
  const rewritten = code.replace(/\bimport\s*(?:\{([^}]*)\}\s*from\s*)?"\.\/([^"]+)";/g, (statement, names, name) => {
    if (!first.has(name)) return statement;
    if (!names) return "";
    const list = names.split(",").map((each) => {
      const [exported, local] = each.trim().split(" as ");
      return `${aliasOf(name, exported)} as ${local ?? exported}`;
    });
    return `import{${list}}from"./${main}";`;
  });
  const left = [...first].find((name) => name !== main && rewritten.includes(`./${name}"`));
  if (left) throw new Error(`a script still imports ${left}: esbuild writes imports in another form now`);
  return rewritten;
}

/** Return the files under their final names. */
function withNames(parts, later) {
  const sum = createHash("sha256").update(later);
  for (const name of [...parts.keys()].sort()) sum.update(name).update(parts.get(name).content);
  const hash = sum.digest("base64url").replace(/\W|_/g, "").slice(0, 8);
  const finalOf = (name) => name.replace(/(-[A-Z0-9]+)?\.js$/, (_, own = "") => `${own}-${hash}.js`);
  const files = [...parts].map(([name, { exports: _, ...part }]) => {
    const isScript = name.endsWith(".js");
    const text = (code) =>
      code.replace(/"\.\/([^"]+\.js)"/g, (_, path) => {
        if (!parts.has(path)) throw new Error(`${name} imports ${path}, which is none of the scripts`);
        return `"./${finalOf(path)}"`;
      });
    return [
      finalOf(name),
      {
        ...part,
        content: isScript ? Buffer.from(text(part.content.toString())) : part.content,
        static: part.static.map(finalOf),
        later: part.later.map(finalOf),
      },
    ];
  });
  return new Map(files);
}

/** Return a file in brotli at its best, as it is sent. */
export function packed(content) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  return brotliCompressSync(content, { params });
}
