import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";

const KEY = "console.theme";
type Theme = "light" | "dark";

function chosen(): Theme | null {
  const stored = localStorage.getItem(KEY);
  return stored === "light" || stored === "dark" ? stored : null;
}

/** One for every switch on the page. */
const kept = signal<Theme | null>(chosen());

/** Switch between the light and the dark theme; until then the system decides. */
export function ThemeSwitch() {
  const theme = kept.value;
  useEffect(() => {
    if (theme) {
      localStorage.setItem(KEY, theme);
      document.documentElement.dataset.theme = theme;
    }
  }, [theme]);
  const isDark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  return (
    <label class="theme">
      <input type="checkbox" checked={isDark} onChange={() => (kept.value = isDark ? "light" : "dark")} /> Dark colours
    </label>
  );
}
