import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/kit.css";
import "./styles/rules.css";
import "./styles/library.css";
import "./styles/frame.css";
import "./styles/editor.css";
import "./styles/experiments.css";
import "./styles/connect.css";
import "./styles/plots.css";
import "./styles/results.css";
import "./styles/overview.css";
import { render } from "preact";
import { asProblem } from "./api/problems.ts";
import { Application } from "./application.tsx";
import { notify } from "./kit/toast.tsx";
import { enter, resume } from "./session/session.ts";

const root = document.getElementById("console");
if (root) void start(root);

async function start(root: HTMLElement): Promise<void> {
  try {
    await enterByAddress();
    await resume();
  } catch (thrown) {
    notify(asProblem(thrown).message, "bad");
  }
  render(<Application />, root);
}

/** Enter with the one-time token in the address, and remove it from there and from the history. */
async function enterByAddress(): Promise<void> {
  const token = new URLSearchParams(location.hash.slice(1)).get("enter");
  if (!token) return;
  history.replaceState(null, "", location.pathname + location.search);
  await enter({ token });
}
