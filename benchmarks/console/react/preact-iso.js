// Names of preact-iso that the console imports, over React: the least that routes its addresses. In favour of React,
// whose usual routers are larger.
import { Children, createContext, createElement, Suspense, useContext, useEffect, useMemo, useState } from "react";

export { lazy } from "react";

const Location = createContext(null);
const Match = createContext({ path: "", params: {}, query: {} });
export const useLocation = () => useContext(Location);
export const useRoute = () => useContext(Match);
export const Route = () => null;

export function LocationProvider({ scope, children }) {
  const [url, setUrl] = useState(location.pathname + location.search);
  useEffect(() => {
    const follow = () => setUrl(location.pathname + location.search);
    const click = (event) => {
      const link = event.target.closest?.("a[href]");
      if (event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
      if (!link || link.target || link.origin !== location.origin || !link.pathname.startsWith(scope)) return;
      event.preventDefault();
      history.pushState(null, "", link.href);
      follow();
    };
    addEventListener("popstate", follow);
    addEventListener("click", click);
    return () => {
      removeEventListener("popstate", follow);
      removeEventListener("click", click);
    };
  }, [scope]);
  const value = useMemo(() => {
    const { pathname, searchParams } = new URL(url, location.origin);
    const route = (to, replace) => {
      history[replace ? "replaceState" : "pushState"](null, "", to);
      setUrl(to);
    };
    return { url, path: pathname, query: Object.fromEntries(searchParams), route };
  }, [url]);
  return createElement(Location.Provider, { value }, children);
}

export function Router({ children }) {
  const { path, query } = useLocation();
  for (const { props } of Children.toArray(children)) {
    const params = props.default ? {} : paramsOf(props.path, path);
    if (!params) continue;
    const shown = createElement(Suspense, { fallback: null }, createElement(props.component));
    return createElement(Match.Provider, { value: { path, params, query } }, shown);
  }
  return null;
}

function paramsOf(pattern, path) {
  const wanted = pattern.split("/").filter(Boolean);
  const given = path.split("/").filter(Boolean);
  if (wanted.length !== given.length) return null;
  const params = {};
  for (const [index, part] of wanted.entries()) {
    if (part[0] === ":") params[part.slice(1)] = decodeURIComponent(given[index]);
    else if (part !== given[index]) return null;
  }
  return params;
}
