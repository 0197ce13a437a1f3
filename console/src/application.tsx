import { useEffect } from "preact/hooks";
import { LocationProvider, lazy, Route, Router, useLocation } from "preact-iso";
import { BASE } from "./address.ts";
import { counted, shopId } from "./api/client.ts";
import { Frame } from "./frame/frame.tsx";
import { Guard, Outdated } from "./kit/guard.tsx";
import { Refused, RouteTitle } from "./kit/state.tsx";
import { attempt, Toasts } from "./kit/toast.tsx";
import { SCREENS, type Screen } from "./routes.ts";
import { Invitation, invitation } from "./session/invitation.tsx";
import { may, session, signOut } from "./session/session.ts";
import { SignIn } from "./session/sign_in.tsx";

/** The whole console: the sign-in while nobody is signed in, else the frame with one screen. */
export function Application() {
  return (
    <LocationProvider scope={BASE}>
      {invitation.value ? <Invitation /> : session.value ? <Signed /> : <SignIn />}
      <Toasts />
    </LocationProvider>
  );
}

const PAGES = SCREENS.map(pageOf);

function pageOf(screen: Screen) {
  const Loaded = lazy(() => counted(screen.load()).catch(() => ({ default: Outdated })));
  const component = () => (
    <RouteTitle.Provider value={screen.title}>
      <Guard>{may(screen.scope) ? <Loaded /> : <Refused scope={screen.scope ?? ""} />}</Guard>
    </RouteTitle.Provider>
  );
  return { screen, component, preload: Loaded.preload, pattern: patternOf(screen.path) };
}

/** Return the screen at the path of an address. */
function pageAt(path: string) {
  const behind = path.replace(BEHIND_SHOP, "");
  return PAGES.find(({ pattern }) => pattern.test(behind));
}

const BEHIND_SHOP = new RegExp(`^${BASE}/[^/]+`);

/** Load the code of the screen at an address, while the session is on its way. */
export async function preload(pathname: string): Promise<void> {
  await pageAt(pathname)?.preload();
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}/?$`);
}

function Signed() {
  const { path, route } = useLocation();
  const named = path.slice(BASE.length + 1).split("/")[0] ?? "";
  const shops = session.value?.shops ?? [];
  const known = shops.find(({ id }) => id === named);
  if (known) shopId.value = known.id;
  useEffect(() => {
    const first = shops[0];
    if (!known && first) route(`${BASE}/${first.id}`, true);
  }, [known, shops, route]);
  if (!shops.length) return <NoShop />;
  if (!known) return null;
  if (!isReadable(path)) {
    return (
      <Frame>
        <Missing />
      </Frame>
    );
  }
  const page = pageAt(path);
  return (
    <Frame>
      {/* A screen of another shop is another screen, also where its address differs in the shop alone. */}
      <Router key={known.id}>
        {page ? <Route path={`${BASE}/:shop${page.screen.path}`} component={page.component} /> : []}
        <Route default component={Missing} />
      </Router>
    </Frame>
  );
}

/** Return whether the router can decode an address: it throws for others, such as /%zz. */
function isReadable(path: string): boolean {
  try {
    return decodeURIComponent(path) !== "";
  } catch {
    return false;
  }
}

/** Somebody who belongs to no shop, or no longer. */
function NoShop() {
  return (
    <main class="sign-in" id="main">
      <h1>You have no shop yet</h1>
      <p>Nobody has given you access to one yet, or it was taken back. An admin of the shop can invite you.</p>
      <p class="buttons">
        <button type="button" onClick={() => void attempt(signOut)}>
          Sign out
        </button>
      </p>
    </main>
  );
}

function Missing() {
  return (
    <div class="empty">
      <h1>This screen does not exist</h1>
      <p>The address may be from another release, or mistyped.</p>
      <p>
        <a href={`${BASE}/${shopId.value}`}>Go to the overview</a>
      </p>
    </div>
  );
}
