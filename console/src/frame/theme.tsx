import { useEffect, useState } from "preact/hooks";

const KEY = "console.theme";
type Theme = "light" | "dark";

function chosen(): Theme | null {
  const kept = localStorage.getItem(KEY);
  return kept === "light" || kept === "dark" ? kept : null;
}

/** Switch between the light and the dark theme; until then the system decides. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme | null>(chosen);
  useEffect(() => {
    if (theme) {
      localStorage.setItem(KEY, theme);
      document.documentElement.dataset.theme = theme;
    }
  }, [theme]);
  const isDark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  return (
    <label class="theme">
      <input type="checkbox" checked={isDark} onChange={() => setTheme(isDark ? "light" : "dark")} /> Dark colours
    </label>
  );
}
