import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { at } from "../../address.ts";
import { api, data } from "../../api/client.ts";
import { useDoing } from "../../api/loading.ts";
import { Form } from "../../kit/form.tsx";
import { Page } from "../../kit/page.tsx";
import { saved } from "../../kit/saved.ts";
import { keyOf } from "../flags/new.tsx";
import { LandingFields, type TypedPage } from "./fields.tsx";

const EMPTY: TypedPage = {
  name: "",
  slug: "",
  page_type: "landing",
  publish_mode: "edge",
  publish_host: null,
  publish_path: null,
};

/** A new landing page: its name and address; its content is its first version. */
export default function NewLandingPage() {
  const [typed, setTyped] = useState(EMPTY);
  const [isSlugTyped, setSlugTyped] = useState(false);
  const doing = useDoing();
  const { route } = useLocation();
  const create = async () => {
    const page = saved(await data(api.POST("/landing-pages", { body: typed })), "Page made");
    route(`${at("/landing-pages", page.id)}/write`);
  };
  return (
    <Page title="New landing page" above={<a href={at("/landing-pages")}>Landing pages</a>}>
      <Form doing={doing} submit="Make the page" onSubmit={create} isDirty={typed !== EMPTY}>
        <LandingFields
          value={typed}
          set={(name) => (value) => {
            if (name === "slug") setSlugTyped(true);
            const slug = name === "name" && !isSlugTyped ? { slug: keyOf(String(value)) } : {};
            setTyped((before) => ({ ...before, [name]: value, ...slug }));
          }}
        />
      </Form>
    </Page>
  );
}
