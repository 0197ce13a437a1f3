import { useEffect, useRef } from "preact/hooks";

/** Act on Ctrl or Cmd and a letter; with Shift, Z is Y. */
export function useKeys(keys: Record<string, () => unknown>): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isTyping =
        event.target instanceof HTMLElement && event.target.matches("input, textarea, select, .code-host");
      const key = event.shiftKey && event.key.toLowerCase() === "z" ? "y" : event.key.toLowerCase();
      const act = latest.current[key];
      // In a field, undo is the field's own.
      if (!act || !(event.ctrlKey || event.metaKey) || (isTyping && key !== "s")) return;
      event.preventDefault();
      act();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}

/** Act on Escape. */
export function useEscape(act: () => void): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    const press = (event: KeyboardEvent) => event.key === "Escape" && latest.current();
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}
