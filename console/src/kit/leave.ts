import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso";

const QUESTION = "Leave without saving? What you typed is lost.";

/** The forms on the screen in which something is typed that is not saved. */
const unsaved = new Set<object>();
let shown = "";

/** Return whether the screen may be left: true where nothing is lost, or the person says so. */
export function mayLeave(): boolean {
  return unsaved.size === 0 || confirm(QUESTION);
}

/** Ask before the screen is left while something is not saved: by a link, the buttons of the browser, or its window. */
export function useLeaveWarning(isDirty: boolean): void {
  const { url } = useLocation();
  useEffect(() => {
    shown = url;
  }, [url]);
  useEffect(() => {
    if (!isDirty) return;
    const form = {};
    if (!unsaved.size) listen(true);
    unsaved.add(form);
    return () => {
      unsaved.delete(form);
      if (!unsaved.size) listen(false);
    };
  }, [isDirty]);
}

function listen(isOn: boolean): void {
  const change = isOn ? window.addEventListener : window.removeEventListener;
  change("beforeunload", warn);
  change("click", follow, true);
}

// Listeners of the window hear of it in the order of their coming, so this one comes before the router's.
globalThis.window?.addEventListener("popstate", goBack);

function warn(event: Event): void {
  event.preventDefault();
}

function follow(event: Event): void {
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  if (!link || link.hasAttribute("target") || link.getAttribute("href")?.startsWith("#") || mayLeave()) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** The browser has gone back or forth already: where the person stays, the address of the screen is put on top. */
function goBack(event: Event): void {
  if (!unsaved.size || location.pathname + location.search === shown || mayLeave()) return;
  event.stopImmediatePropagation();
  history.pushState(null, "", shown);
}
