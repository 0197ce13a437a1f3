import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { at, BASE } from "../address.ts";
import { hasEnded, waiting } from "../api/client.ts";
import { CallButton } from "../kit/call.tsx";
import { mayLeave } from "../kit/leave.ts";
import { attempt } from "../kit/toast.tsx";
import { session, shop, signOut } from "../session/session.ts";
import { SignInAgain } from "../session/sign_in.tsx";
import { ReadOnlyNote, StepUp } from "../session/step_up.tsx";
import { Bell } from "./bell.tsx";
import { Navigation } from "./navigation.tsx";
import { Search } from "./search.tsx";
import { ThemeSwitch } from "./theme.tsx";

/** What is around every screen: navigation, shop, search, account. */
export function Frame({ children }: { children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  const { path } = useLocation();
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    setOpen(false);
    if (isFirst.current) isFirst.current = false;
    else main.current?.focus({ preventScroll: true });
  }, [path]);
  return (
    <div class={`frame${isOpen ? " is-open" : ""}`}>
      <a class="skip" href="#main">
        Go to the content
      </a>
      <header class="top">
        <button
          type="button"
          class="quiet navigator"
          aria-expanded={isOpen}
          aria-controls="navigation"
          onClick={() => setOpen(!isOpen)}
        >
          Menu
        </button>
        <ShopSwitch />
        <Search />
        <span class="spring" />
        <Bell />
        <CallButton />
        <Account />
      </header>
      <Navigation id="navigation" />
      <main id="main" ref={main} tabIndex={-1} aria-busy={waiting.value > 0}>
        <ReadOnlyNote />
        {children}
      </main>
      {hasEnded.value && <SignInAgain />}
      <StepUp />
    </div>
  );
}

function ShopSwitch() {
  const { route } = useLocation();
  const shops = session.value?.shops ?? [];
  if (shops.length < 2) return <strong class="shop">{shop.value?.name}</strong>;
  return (
    <select
      aria-label="Shop"
      class="shop"
      value={shop.value?.id}
      onChange={({ currentTarget }) => {
        if (mayLeave()) route(`${BASE}/${currentTarget.value}`);
        else currentTarget.value = shop.value?.id ?? "";
      }}
    >
      {shops.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}

function Account() {
  const who = session.value?.user;
  return (
    <>
      <button type="button" class="quiet who" popovertarget="account">
        {who?.name ?? who?.email ?? "Account"}
      </button>
      <div id="account" popover="auto" class="menu">
        <p class="soft">{shop.value?.role ? `${shop.value.role} of ${shop.value.name}` : "signed in with a key"}</p>
        {session.value?.level !== "key" && (
          <p>
            <a href={at("/people/me")}>My account</a>
          </p>
        )}
        <ThemeSwitch />
        <button type="button" onClick={() => mayLeave() && attempt(signOut)}>
          Sign out
        </button>
      </div>
    </>
  );
}
