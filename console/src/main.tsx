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
import { Application, preload } from "./application.tsx";
import { arrived } from "./begun.ts";
import { prepareFormats } from "./kit/formats.ts";
import { Failed } from "./kit/state.tsx";
import { notify } from "./kit/toast.tsx";
import { invitation } from "./session/invitation.tsx";
import { enter, resume, returned } from "./session/session.ts";

const root = document.getElementById("console");
if (root) void start(root);
addEventListener("pageshow", ({ persisted }) => persisted && void returned());

async function start(root: HTMLElement): Promise<void> {
  const arriving = preload(location.pathname);
  prepareFormats();
  try {
    await enterByAddress();
    await resume();
    await arriving;
    await arrived();
    render(<Application />, root);
  } catch (thrown) {
    // Nobody knows whether there is a session: to ask for another one would end it.
    const unknown = (
      <main class="sign-in" id="main">
        <Failed problem={asProblem(thrown)} again={() => start(root)} />
      </main>
    );
    render(unknown, root);
  }
}

/** Take a one-time token, or that of an invitation, out of the address and the history. */
async function enterByAddress(): Promise<void> {
  const given = new URLSearchParams(location.hash.slice(1));
  const [token, invite] = [given.get("enter"), given.get("invite")];
  if (!token && !invite) return;
  history.replaceState(null, "", location.pathname + location.search);
  invitation.value = invite ?? "";
  if (token) await enter({ token }).catch(refuse);
}

function refuse(thrown: unknown): void {
  const problem = asProblem(thrown);
  const isUsed = problem.status === 401;
  notify(isUsed ? "This address signs in once, and was used or is too old. Make another one." : problem.message, "bad");
}
