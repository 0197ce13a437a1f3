/**
 * The first script of the page, ahead of the console's own: it sets the chosen theme, and begins to read who is signed
 * in, and what the screen at this address reads first. The function that serves the page names both where the browser has the cookie of a session.
 */
import { begin, SESSION } from "./begun.ts";
import { chosenTheme, showTheme } from "./frame/chosen_theme.ts";

showTheme(chosenTheme());

const { shop, first } = document.currentScript?.dataset ?? {};
// A token in the address makes another session.
if (shop && !location.hash) {
  begin(SESSION);
  if (first && !location.search) begin(`/api/v1${first}`, shop);
}
