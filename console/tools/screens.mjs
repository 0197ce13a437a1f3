// The screens of the console as the page that carries them needs them: by address, what to load and to read first.
import { build } from "esbuild";

/**
 * Return the screens with the source of each, in the order of the navigation, and the groups of the navigation.
 *
 * `src/routes.ts` is run in Node, with modules in place of the screens that only name their source.
 */
export async function screensOf(root) {
  const named = {
    name: "named",
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /./ }, async ({ kind, path, resolveDir, pluginData }) => {
        if (kind !== "dynamic-import" || pluginData) return;
        return { path: new URL(path, `file://${resolveDir}/`).pathname, namespace: "named" };
      });
      onLoad({ filter: /./, namespace: "named" }, ({ path }) => ({
        contents: `export default ${JSON.stringify(path.slice(root.length))}`,
      }));
    },
  };
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ["src/routes.ts"],
    bundle: true,
    format: "esm",
    write: false,
    plugins: [named],
    logLevel: "warning",
  });
  const code = Buffer.from(outputFiles[0].contents).toString("base64");
  const { GROUPS, SCREENS } = await import(`data:text/javascript;base64,${code}`);
  const screens = SCREENS.map(async (screen) => ({ ...screen, source: (await screen.load()).default }));
  return { groups: GROUPS, screens: await Promise.all(screens) };
}

/** Return what the page says of each screen: its address as a pattern, its place in the navigation, and what is first. */
export function entriesOf(screens, scriptsOf) {
  const places = screens.filter(({ group }) => group !== undefined).map(({ path }) => path);
  return screens.map(({ path, first, source }) => ({
    pattern: `${path.replace(/:\w+/g, "[^/]+")}/?`,
    place: places.find((place) => place === path || (place && path.startsWith(`${place}/`))) ?? null,
    first: first ?? null,
    scripts: scriptsOf(source),
  }));
}

/**
 * Return the frame of the console without a session: what is seen until the scripts have run.
 *
 * It has the elements of `src/frame`, so that nothing moves when they take over; `{shop}` stands for the shop.
 */
export function frameOf(groups, screens) {
  const sections = groups.map((group) => {
    const links = screens
      .filter((screen) => screen.group === group)
      .map(({ path, title }) => `<li><a href="/console/{shop}${path}">${escaped(title)}</a></li>`);
    return `<section>${group && `<h2>${group}</h2>`}<ul>${links.join("")}</ul></section>`;
  });
  return [
    '<div class="frame"><header class="top" inert><button type="button" class="quiet navigator">Menu</button>',
    '<strong class="shop"></strong><button type="button" class="quiet search-button">Search <kbd>Ctrl K</kbd></button></header>',
    `<nav class="navigation" aria-label="Screens">${sections.join("")}</nav>`,
    '<main id="main" aria-busy="true"></main></div>',
  ].join("");
}

function escaped(text) {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
}
