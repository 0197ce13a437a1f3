// Names of preact that the console imports, over React.
export { createContext, Fragment } from "react";
import { createRoot } from "react-dom/client";

export const render = (element, root) => createRoot(root).render(element);
