import { signal } from "@preact/signals";
import { chooseTheme, chosenTheme } from "./chosen_theme.ts";

/** One for every switch on the page. */
const kept = signal(chosenTheme());

/** Switch between the light and the dark theme. */
export function ThemeSwitch() {
  const isDark = kept.value ? kept.value === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const change = () => {
    kept.value = isDark ? "light" : "dark";
    chooseTheme(kept.value);
  };
  return (
    <label class="theme">
      <input type="checkbox" checked={isDark} onChange={change} /> Dark colours
    </label>
  );
}
